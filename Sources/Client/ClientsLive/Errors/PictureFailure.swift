/// Why this device could not work on a picture.
enum PictureFailure: Error, Equatable {
    /// Neither a PNG nor a JPEG.
    case notAPicture
    /// More bytes, pixels or layers than are read.
    case tooLarge
    case damaged
    case noCodeFound
    /// The text for a QR code is empty or too long, or no picture could be written.
    case cannotBeDrawn
    /// Others wait for their turn.
    case tooMany

    var words: String {
        switch self {
        case .notAPicture: "This is neither a PNG nor a JPEG picture."
        case .tooLarge: "The picture is too large."
        case .damaged: "The picture is damaged."
        case .noCodeFound: "No QR code was found in the picture."
        case .cannotBeDrawn: "The QR code could not be drawn."
        case .tooMany: "Too many pictures are being read at the moment."
        }
    }
}
