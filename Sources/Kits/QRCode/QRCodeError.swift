/// Why a text can't be encoded, or a picture can't be read.
public enum QRCodeError: Error, Equatable, Sendable, CustomStringConvertible {
    case emptyText
    /// The text has more than 2,331 UTF-8 bytes.
    case textTooLong
    case notAPicture
    /// The picture has too many bytes or too many scans.
    case tooLarge
    /// The picture has more than 40 megapixels, or more than 12,000 pixels a side.
    case tooManyPixels
    /// The picture is cut off, corrupt, or of an unsupported kind.
    case damaged
    /// The picture is complete, but no QR code was found.
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
