#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension QRCode {
    /// The size limit of a picture to decode, in bytes.
    public static let maximumPictureByteCount = 6_000_000

    /// Returns the text of the QR code in a PNG or JPEG; the content tells which it is. If the
    /// picture contains several codes, returns the text of one of them.
    ///
    /// Blocks the thread, usually for milliseconds, but for a second or two if the picture is large
    /// or contains no code.
    ///
    /// - Throws: `notAPicture`; `tooLarge` over 6 MB, 40 megapixels or 12,000 pixels a side;
    ///   `damaged` if nothing can be decoded, or if a part is missing and the rest contains no
    ///   code; `noCodeFound`.
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
