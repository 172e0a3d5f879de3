#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The two kinds of picture that are read.
public enum PictureFormat: Equatable, Sendable {
    case png, jpeg

    /// Tells the format by the first bytes, whatever the file is called; `nil` when they belong to
    /// neither.
    public init?(sniffing data: Data) {
        if data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if data.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else {
            return nil
        }
    }
}

/// The limit of a picture's width and height, checked in its header before memory is taken for its
/// pixels.
enum PictureLimit {
    /// The most pixels per byte of a JPEG; a blank one has about 250.
    static let pixelsPerByte = 1_000
    static let side = 12_000
    static let pixels = 40_000_000
    /// A progressive JPEG has about ten scans. Each costs a pass over all pixels, however few its
    /// bytes.
    static let scans = 64

    static func check(width: Int, height: Int) throws(QRCodeError) {
        guard width > 0, height > 0 else { throw .damaged }
        guard width <= side, height <= side, width * height <= pixels else { throw .tooLarge }
    }
}
