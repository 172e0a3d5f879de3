import Domain

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

public enum Picture {
    /// The size limit of a picture before and after stripping, in bytes.
    public static let maximumByteCount = ProfilePicture.limitInBytes

    /// Decodes and re-encodes a picture, so that only its pixels remain: no location, camera,
    /// comments, profile or trailing bytes. Rotates the picture upright by its EXIF orientation.
    ///
    /// A PNG stays a PNG with 8 bits per channel and alpha. A JPEG stays a JPEG with quality 90, or
    /// 75 if the result is too large. A result over 5 MB is halved in width and height until it
    /// fits. Blocks for up to a few seconds for 40 megapixels.
    ///
    /// - Throws: `notAPicture`; `tooLarge` over 5 MB or 64 scans; `tooManyPixels` over 40
    ///   megapixels or 12,000 pixels a side; `damaged` if the picture doesn't decode completely;
    ///   `encodingFailed`.
    public static func strippingMetadata(_ picture: Data) throws(QRCodeError) -> Data {
        guard let format = PictureFormat(sniffing: picture) else { throw .notAPicture }
        guard picture.count <= maximumByteCount else { throw .tooLarge }
        let bytes = [UInt8](picture)
        switch format {
        case .png:
            let upright = try PNGCodec.decode(bytes).oriented(PNGChunks.orientation(of: bytes))
            return try fitted(upright) {
                PNGCodec.encode($0, limit: maximumByteCount)
            }
        case .jpeg:
            let header = try JPEGHeader(bytes)
            let decoded = try JPEGCodec.decode(bytes, gray: false, header: header)
            guard decoded.isWhole else { throw .damaged }
            return try fitted(decoded.bitmap.oriented(header.orientation), encode: fittedJPEG)
        }
    }

    private static func fitted(
        _ bitmap: Bitmap, encode: (Bitmap) -> [UInt8]?
    ) throws(QRCodeError) -> Data {
        var bitmap = bitmap
        while true {
            if let bytes = encode(bitmap) { return Data(bytes) }
            guard bitmap.width > 1 || bitmap.height > 1 else { throw .encodingFailed }
            bitmap = bitmap.halved()
        }
    }

    private static func fittedJPEG(_ bitmap: Bitmap) -> [UInt8]? {
        for quality in [90, 75] {
            guard let bytes = JPEGCodec.encode(bitmap, quality: quality) else { return nil }
            if bytes.count <= maximumByteCount { return bytes }
        }
        return nil
    }
}
