@_exported import Foundation
import UIKit

public struct AVMediaType: Hashable, Sendable {
    public static let video = AVMediaType()
}
public enum AVAuthorizationStatus: Int, Sendable {
    case notDetermined, restricted, denied, authorized
}

open class AVCaptureDevice: NSObject, @unchecked Sendable {
    open class func `default`(for mediaType: AVMediaType) -> AVCaptureDevice? { fatalError() }
    open class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus {
        fatalError()
    }
    open class func requestAccess(for mediaType: AVMediaType) async -> Bool { fatalError() }
    open var hasTorch: Bool { fatalError() }
    open func lockForConfiguration() throws {}
    open func unlockForConfiguration() {}
    open var torchMode: TorchMode {
        get { fatalError() }
        set {}
    }
    public enum TorchMode: Int, Sendable { case off, on, auto }
}

open class AVCaptureInput: NSObject {}
open class AVCaptureDeviceInput: AVCaptureInput {
    public init(device: AVCaptureDevice) throws {}
}
open class AVCaptureOutput: NSObject {}
open class AVCaptureConnection: NSObject {
    @available(iOS 17.0, *)
    open func isVideoRotationAngleSupported(_ videoRotationAngle: CGFloat) -> Bool { fatalError() }
    @available(iOS 17.0, *)
    open var videoRotationAngle: CGFloat {
        get { fatalError() }
        set {}
    }
}

open class AVCaptureSession: NSObject {
    open func beginConfiguration() {}
    open func commitConfiguration() {}
    open func canAddInput(_ input: AVCaptureInput) -> Bool { fatalError() }
    open func addInput(_ input: AVCaptureInput) {}
    open func canAddOutput(_ output: AVCaptureOutput) -> Bool { fatalError() }
    open func addOutput(_ output: AVCaptureOutput) {}
    open var isRunning: Bool { fatalError() }
    open func startRunning() {}
    open func stopRunning() {}
}

open class AVMetadataObject: NSObject {
    public struct ObjectType: Hashable, Sendable {
        public static let qr = ObjectType()
    }
}
open class AVMetadataMachineReadableCodeObject: AVMetadataObject {
    open var stringValue: String? { fatalError() }
}
open class AVCaptureMetadataOutput: AVCaptureOutput {
    open func setMetadataObjectsDelegate(
        _ objectsDelegate: (any AVCaptureMetadataOutputObjectsDelegate)?,
        queue objectsCallbackQueue: DispatchQueue?
    ) {}
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var metadataObjectTypes: [AVMetadataObject.ObjectType]! {
        get { fatalError() }
        set {}
    }
    open var availableMetadataObjectTypes: [AVMetadataObject.ObjectType] { fatalError() }
}
public protocol AVCaptureMetadataOutputObjectsDelegate: NSObjectProtocol {
    func metadataOutput(
        _ output: AVCaptureMetadataOutput, didOutput metadataObjects: [AVMetadataObject],
        from connection: AVCaptureConnection)
}

public struct AVLayerVideoGravity: Hashable, Sendable {
    public static let resizeAspectFill = AVLayerVideoGravity()
}
open class AVCaptureVideoPreviewLayer: CALayer {
    public init(session: AVCaptureSession) {}
    open var connection: AVCaptureConnection? { fatalError() }
    open var videoGravity: AVLayerVideoGravity {
        get { fatalError() }
        set {}
    }
}
