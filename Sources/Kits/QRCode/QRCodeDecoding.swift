#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension QRCode {
    /// The size limit of a picture to decode, in bytes.
    public static let maximumPictureByteCount = 6_000_000

    /// Returns the text of a QR code in a PNG or JPEG. With several codes, returns the text of any
    /// one of them.
    ///
    /// Blocks the thread, usually for milliseconds. A large picture or a picture without a code
    /// takes a second or two.
    ///
    /// - Throws: `notAPicture`; `tooLarge` over 6 MB or 64 scans; `tooManyPixels` over 40
    ///   megapixels or 12,000 pixels a side; `damaged` if the picture doesn't decode completely and
    ///   no code is found in the rest; `noCodeFound`.
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
