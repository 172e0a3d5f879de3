import AVFoundation
import SwiftUI
import UIKit

/// The camera's preview, shown once the user has given permission. Calls `scanned` with the text of
/// a code.
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
        turnPreview()
    }

    /// UIKit also calls this when the phone turns upside down, although the layout stays the same.
    override func viewWillTransition(
        to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator
    ) {
        super.viewWillTransition(to: size, with: coordinator)
        coordinator.animate(alongsideTransition: nil) { [weak self] _ in self?.turnPreview() }
    }

    private func turnPreview() {
        guard let geometry = view.window?.windowScene?.effectiveGeometry,
            let connection = camera.preview.connection
        else { return }
        let angle = geometry.interfaceOrientation.cameraAngle
        if connection.isVideoRotationAngleSupported(angle) {
            connection.videoRotationAngle = angle
        }
    }
}

extension UIInterfaceOrientation {
    /// The rotation of the camera's picture in degrees. It is not 0 in portrait, because the sensor
    /// is mounted sideways in the phone.
    fileprivate var cameraAngle: CGFloat {
        switch self {
        case .landscapeRight: 0
        case .landscapeLeft: 180
        case .portraitUpsideDown: 270
        case .portrait, .unknown: 90
        @unknown default: 90
        }
    }
}

/// The camera's session. Starting and stopping block, so both run on a separate queue.
///
/// Unchecked: only that queue uses the session and the device. Only the main actor uses the layer.
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
