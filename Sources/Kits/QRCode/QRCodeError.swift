/// Why a text can't be encoded as a QR code, or a picture can't be read.
public enum QRCodeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text is empty.
    case emptyText
    /// The text has more than 2,331 bytes of UTF-8.
    case textTooLong
    /// The bytes are neither a PNG nor a JPEG.
    case notAPicture
    /// The picture exceeds the limit of bytes or layers.
    case tooLarge
    /// More than 40 megapixels, or 12,000 pixels a side.
    case tooManyPixels
    /// The picture begins correctly but is cut off, corrupt, or of an unsupported kind.
    case damaged
    /// The picture is complete but contains no QR code.
    case noCodeFound
    /// A library failed to write the picture, for lack of memory.
    case encodingFailed

    public var description: String {
        switch self {
        case .emptyText: "There is no text to put into a QR code."
        case .textTooLong: "The text is too long for a QR code."
        case .notAPicture: "This is neither a PNG nor a JPEG picture."
        case .tooLarge: "The picture is too large."
        case .tooManyPixels:
            "The picture has more than 40 megapixels, or more than 12,000 pixels a side."
        case .damaged: "The picture is damaged."
        case .noCodeFound: "No QR code was found in the picture."
        case .encodingFailed: "The picture could not be written."
        }
    }
}
