#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension QRCode {
    /// The limit of a picture to read, in bytes.
    public static let maximumPictureByteCount = 6_000_000

    /// The text of the QR code in a PNG or JPEG, told apart by their content. With several codes,
    /// one of them.
    ///
    /// Blocks: milliseconds as a rule, a second or two for a picture that is large or holds no
    /// code.
    ///
    /// - Throws: `notAPicture`; `tooLarge` over 6 MB, 40 megapixels or 12,000 pixels a side;
    ///   `damaged` when nothing can be decoded, or a part is missing and the rest holds no code;
    ///   `noCodeFound`.
    public static func decode(_ picture: Data) throws(QRCodeError) -> String {
        guard let format = PictureFormat(sniffing: picture) else { throw .notAPicture }
        guard picture.count <= maximumPictureByteCount else { throw .tooLarge }
        let bytes = [UInt8](picture)
        switch format {
        case .png:
            guard let text = text(in: try PNGCodec.decodeGray(bytes)) else { throw .noCodeFound }
            return text
        case .jpeg:
            let decoded = try JPEGCodec.decode(bytes, gray: true, header: JPEGHeader(bytes))
            guard let text = text(in: decoded.bitmap) else {
                throw decoded.isWhole ? .noCodeFound : .damaged
            }
            return text
        }
    }

    private static func text(in bitmap: Bitmap) -> String? {
        QRCodeSearch(
            GrayPicture(width: bitmap.width, height: bitmap.height, pixels: bitmap.samples)
        ).text()
    }
}
