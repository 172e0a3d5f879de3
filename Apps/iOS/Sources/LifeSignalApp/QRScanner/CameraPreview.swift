import AVFoundation
import SwiftUI
import UIKit

/// The camera's picture, for who has permitted it. It tells what a code says.
struct CameraPreview: UIViewControllerRepresentable {
    let isTorchOn: Bool
    let scanned: @MainActor (String) -> Void

    func makeUIViewController(context: Context) -> CameraViewController {
        CameraViewController(scanned: scanned)
    }

    func updateUIViewController(_ controller: CameraViewController, context: Context) {
        controller.camera.setTorch(isTorchOn)
    }

    static func dismantleUIViewController(
        _ controller: CameraViewController, coordinator: Coordinator
    ) {
        controller.camera.stop()
    }
}

final class CameraViewController: UIViewController {
    let camera: CodeCamera

    init(scanned: @escaping @MainActor (String) -> Void) {
        camera = CodeCamera { code in Task { @MainActor in scanned(code) } }
        super.init(nibName: nil, bundle: nil)
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        super.viewDidLoad()
        view.layer.addSublayer(camera.preview)
        camera.start()
    }

    override func viewDidLayoutSubviews() {
        super.viewDidLayoutSubviews()
        camera.preview.frame = view.bounds
    }
}

/// The session of the camera. AVFoundation blocks while it starts and stops, so all of that runs
/// on a queue of its own.
///
/// Unchecked: the session and the device are used on that queue alone, the layer on the main actor
/// alone.
final class CodeCamera: NSObject, AVCaptureMetadataOutputObjectsDelegate, @unchecked Sendable {
    @MainActor let preview: AVCaptureVideoPreviewLayer
    private let session = AVCaptureSession()
    private let queue = DispatchQueue(label: "lifesignal.camera")
    private let scanned: @Sendable (String) -> Void

    @MainActor
    init(scanned: @escaping @Sendable (String) -> Void) {
        self.scanned = scanned
        preview = AVCaptureVideoPreviewLayer(session: session)
        preview.videoGravity = .resizeAspectFill
    }

    func start() {
        queue.async {
            guard !self.session.isRunning else { return }
            self.configure()
            self.session.startRunning()
        }
    }

    func stop() { queue.async { self.session.stopRunning() } }

    func setTorch(_ isOn: Bool) {
        queue.async {
            guard let device = AVCaptureDevice.default(for: .video), device.hasTorch,
                (try? device.lockForConfiguration()) != nil
            else { return }
            device.torchMode = isOn ? .on : .off
            device.unlockForConfiguration()
        }
    }

    private func configure() {
        let output = AVCaptureMetadataOutput()
        guard let device = AVCaptureDevice.default(for: .video),
            let input = try? AVCaptureDeviceInput(device: device), session.canAddInput(input),
            session.canAddOutput(output)
        else { return }
        session.beginConfiguration()
        session.addInput(input)
        session.addOutput(output)
        output.setMetadataObjectsDelegate(self, queue: queue)
        output.metadataObjectTypes = [.qr]
        session.commitConfiguration()
    }

    func metadataOutput(
        _ output: AVCaptureMetadataOutput, didOutput metadataObjects: [AVMetadataObject],
        from connection: AVCaptureConnection
    ) {
        for case let code as AVMetadataMachineReadableCodeObject in metadataObjects {
            if let text = code.stringValue { scanned(text) }
        }
    }
}
