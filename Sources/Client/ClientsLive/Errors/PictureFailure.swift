enum PictureFailure: Error, Equatable {
    /// The data is neither a PNG nor a JPEG.
    case notAPicture
    /// The picture has more bytes or layers than the limits allow.
    case tooLarge
    case tooManyPixels
    case damaged
    case noCodeFound
    /// The text for a QR code is empty or too long, or no picture could be written.
    case cannotBeDrawn
    case tooMany

    var words: String {
        switch self {
        case .notAPicture: "This is neither a PNG nor a JPEG picture."
        case .tooLarge: "The picture is too large."
        case .tooManyPixels:
            "The picture has more than 40 megapixels, or more than 12,000 pixels a side."
        case .damaged: "The picture is damaged."
        case .noCodeFound: "No QR code was found in the picture."
        case .cannotBeDrawn: "The QR code could not be drawn."
        case .tooMany: "Too many pictures are being read at the moment."
        }
    }
}
