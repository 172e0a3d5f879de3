import Clients
import Domain
import Foundation
import TaskWork

#if canImport(ImageIO)
import CoreImage
import ImageIO
import UniformTypeIdentifiers
#else
import QRCode
#endif

/// Runs work on pictures, which blocks a thread and takes memory. All sessions of a server share
/// one workshop.
public final class PictureWorkshop: Sendable {
    /// The side of an uploaded picture, in pixels.
    public static let side = 512

    private let pool: BlockingPool
    private let limitInBytes: Int

    /// - Parameters:
    ///   - width: the number of simultaneous jobs.
    ///   - queue: the number of pictures that may wait.
    ///   - limitInBytes: the maximum size of a picture.
    public init(width: Int = 2, queue: Int = 32, limitInBytes: Int = .max) {
        pool = BlockingPool(width: width, queue: queue)
        self.limitInBytes = limitInBytes
    }

    var freePlaces: Int { pool.freePlaces }

    /// Runs `work` in its turn. Throws the errors of `work`, and `tooMany` when too many pictures
    /// wait. Throws `CancellationError` when the task is cancelled before its turn.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        do {
            return try await pool.run(work)
        } catch is BlockingPool.Full {
            throw PictureFailure.tooMany
        }
    }

    func check(_ picture: Data) throws(CommandError) {
        guard picture.count <= limitInBytes else {
            throw .payloadTooLarge(limitInBytes: limitInBytes)
        }
    }

    static func mediaType(of picture: Data) -> String? {
        if picture.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            return "image/png"
        }
        return picture.starts(with: [0xFF, 0xD8, 0xFF]) ? "image/jpeg" : nil
    }
}

#if canImport(ImageIO)
extension PictureWorkshop {
    func prepare(_ picture: Data) async throws -> Data {
        try await run {
            // Accepts every format that the system reads, because a phone's camera makes HEIC
            // pictures.
            guard let source = CGImageSourceCreateWithData(picture as CFData, nil),
                CGImageSourceGetCount(source) > 0
            else {
                throw PictureFailure.notAPicture
            }
            // The thumbnail is upright and without metadata.
            let options: [CFString: Any] = [
                kCGImageSourceCreateThumbnailFromImageAlways: true,
                kCGImageSourceCreateThumbnailWithTransform: true,
                kCGImageSourceThumbnailMaxPixelSize: Self.side,
            ]
            let type = Self.mediaType(of: picture) == "image/png" ? UTType.png : UTType.jpeg
            let bytes = NSMutableData()
            guard
                let image = CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary),
                let destination = CGImageDestinationCreateWithData(
                    bytes as CFMutableData, type.identifier as CFString, 1, nil)
            else { throw PictureFailure.damaged }
            CGImageDestinationAddImage(
                destination, image,
                [kCGImageDestinationLossyCompressionQuality: 0.9] as CFDictionary)
            guard CGImageDestinationFinalize(destination) else {
                throw PictureFailure.damaged
            }
            return Data(referencing: bytes)
        }
    }

    func decode(_ picture: Data) async throws -> String {
        try await run {
            let detector = CIDetector(
                ofType: CIDetectorTypeQRCode, context: nil,
                options: [CIDetectorAccuracy: CIDetectorAccuracyHigh])
            let found =
                CIImage(data: picture).flatMap { detector?.features(in: $0).first }
                as? CIQRCodeFeature
            guard let text = found?.messageString else {
                throw PictureFailure.noCodeFound
            }
            return text
        }
    }

    func generate(_ text: String) async throws -> QRCodeImage {
        try await run {
            let refusal = PictureFailure.cannotBeDrawn
            guard let filter = CIFilter(name: "CIQRCodeGenerator") else { throw refusal }
            filter.setValue(Data(text.utf8), forKey: "inputMessage")
            filter.setValue("M", forKey: "inputCorrectionLevel")
            let context = CIContext()
            guard let output = filter.outputImage,
                let space = CGColorSpace(name: CGColorSpace.linearGray)
            else { throw refusal }
            // `output` has one pixel for each module (dot) of the code, and a border of one module.
            let (width, border) = (Int(output.extent.width), 1)
            var pixels = [UInt8](repeating: 255, count: width * width)
            context.render(
                output, toBitmap: &pixels, rowBytes: width, bounds: output.extent, format: .L8,
                colorSpace: space)
            let side = width - 2 * border
            let modules = (0..<side * side).map {
                pixels[($0 / side + border) * width + $0 % side + border] < 128
            }
            let scaled = output.transformed(by: CGAffineTransform(scaleX: 8, y: 8))
            guard let png = context.pngRepresentation(of: scaled, format: .L8, colorSpace: space)
            else { throw refusal }
            return QRCodeImage(png: png, side: side, modules: modules)
        }
    }
}
#else
extension PictureWorkshop {
    func prepare(_ picture: Data) async throws -> Data {
        try await run {
            try Self.failing { () throws(QRCodeError) in
                try Picture.fitting(picture, side: Self.side)
            }
        }
    }

    func decode(_ picture: Data) async throws -> String {
        try await run { try Self.failing { () throws(QRCodeError) in try QRCode.decode(picture) } }
    }

    func generate(_ text: String) async throws -> QRCodeImage {
        try await run { try Self.failing { () throws(QRCodeError) in try QRCode.encode(text) } }
    }

    private static func failing<Value>(_ work: () throws(QRCodeError) -> Value)
        throws(PictureFailure) -> Value
    {
        do throws(QRCodeError) { return try work() } catch {
            throw switch error {
            case .notAPicture: .notAPicture
            case .tooLarge: .tooLarge
            case .tooManyPixels: .tooManyPixels
            case .damaged: .damaged
            case .noCodeFound: .noCodeFound
            case .emptyText, .textTooLong, .encodingFailed: .cannotBeDrawn
            }
        }
    }
}
#endif
