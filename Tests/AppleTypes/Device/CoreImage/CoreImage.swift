@_exported import CoreGraphics

open class CIImage: NSObject {
    public init?(data: Data) { fatalError() }
    open var extent: CGRect { fatalError() }
    open func transformed(by matrix: CGAffineTransform) -> CIImage { fatalError() }
}
open class CIFeature: NSObject {}
open class CIQRCodeFeature: CIFeature {
    open var messageString: String? { fatalError() }
}
public let CIDetectorTypeQRCode: String = ""
public let CIDetectorAccuracy: String = ""
public let CIDetectorAccuracyHigh: String = ""
open class CIDetector: NSObject {
    public init?(ofType type: String, context: CIContext?, options: [String: Any]? = nil) {
        fatalError()
    }
    open func features(in image: CIImage) -> [CIFeature] { fatalError() }
}
open class CIFilter: NSObject {
    public init?(name: String) { fatalError() }
    open func setValue(_ value: Any?, forKey key: String) {}
    open var outputImage: CIImage? { fatalError() }
}
public struct CIFormat: Hashable, Sendable {
    public static let L8 = CIFormat()
    public static let RGBA8 = CIFormat()
}
public struct CIImageRepresentationOption: Hashable, Sendable {}
open class CIContext: NSObject {
    open func render(
        _ image: CIImage, toBitmap data: UnsafeMutableRawPointer, rowBytes: Int, bounds: CGRect,
        format: CIFormat, colorSpace: CGColorSpace?
    ) {}
    open func pngRepresentation(
        of image: CIImage, format: CIFormat, colorSpace: CGColorSpace,
        options: [CIImageRepresentationOption: Any] = [:]
    ) -> Data? { fatalError() }
}
