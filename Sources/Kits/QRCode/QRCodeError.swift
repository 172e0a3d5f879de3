/// Why a text could not become a QR code, or a picture not be read.
public enum QRCodeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no text to encode.
    case emptyText
    /// The text has more than 2,331 bytes of UTF-8.
    case textTooLong
    /// The bytes are neither a PNG nor a JPEG.
    case notAPicture
    /// The picture has more bytes, pixels or layers than are read.
    case tooLarge
    /// The picture begins well but is cut off, broken, or of a rare kind.
    case damaged
    /// The picture is whole, and no QR code was found in it.
    case noCodeFound
    /// A library refused to write the picture, for lack of memory.
    case encodingFailed

    public var description: String {
        switch self {
        case .emptyText: "There is no text to put into a QR code."
        case .textTooLong: "The text is too long for a QR code."
        case .notAPicture: "This is neither a PNG nor a JPEG picture."
        case .tooLarge: "The picture is too large."
        case .damaged: "The picture is damaged."
        case .noCodeFound: "No QR code was found in the picture."
        case .encodingFailed: "The picture could not be written."
        }
    }
}
