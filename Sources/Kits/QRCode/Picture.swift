#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Pictures that people upload.
public enum Picture {
    /// The limit of a picture's size, before and after, in bytes.
    public static let maximumByteCount = 5_000_000

    /// The same picture, decoded and written anew, so that nothing but pixels is left: no place, no
    /// camera, no comment, no profile, no bytes behind its end. A JPEG is turned upright, as its
    /// EXIF orientation asks.
    ///
    /// A PNG stays a PNG (8 bits a channel, alpha kept) and a JPEG a JPEG (quality 90, or less
    /// until it fits). What weighs more than 5 MB afterwards is made smaller by halves. Blocks: up
    /// to a few seconds for 40 megapixels.
    ///
    /// - Throws: `notAPicture`; `tooLarge` over 5 MB, 40 megapixels or 12,000 pixels a side;
    ///   `damaged` when it does not decode from end to end; `encodingFailed` when memory runs out.
    public static func strippingMetadata(_ picture: Data) throws(QRCodeError) -> Data {
        guard let format = PictureFormat(sniffing: picture) else { throw .notAPicture }
        guard picture.count <= maximumByteCount else { throw .tooLarge }
        let bytes = [UInt8](picture)
        switch format {
        case .png:
            return try fitted(PNGCodec.decode(bytes)) {
                PNGCodec.encode($0, limit: maximumByteCount)
            }
        case .jpeg:
            let header = try JPEGHeader(bytes)
            let decoded = try JPEGCodec.decode(bytes, gray: false, header: header)
            guard decoded.isWhole else { throw .damaged }
            return try fitted(decoded.bitmap.oriented(header.orientation), encode: fittedJPEG)
        }
    }

    /// Halves the picture until its encoding fits.
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
