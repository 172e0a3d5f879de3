#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

public enum PictureFormat: Equatable, Sendable {
    case png, jpeg

    /// Detects the format from the first bytes. Returns nil for other formats.
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

/// Size limits, which are checked before memory is allocated for the pixels.
enum PictureLimit {
    /// The maximum number of pixels per byte of a JPEG. A blank picture has about 250.
    static let pixelsPerByte = 1_000
    static let side = 12_000
    static let pixels = 40_000_000
    /// The maximum number of scans. A progressive JPEG has about ten. Each scan costs a pass over
    /// all pixels, even if it has only a few bytes.
    static let scans = 64

    static func check(width: Int, height: Int) throws(QRCodeError) {
        guard width > 0, height > 0 else { throw .damaged }
        guard width <= side, height <= side, width * height <= pixels else {
            throw .tooManyPixels
        }
    }
}
