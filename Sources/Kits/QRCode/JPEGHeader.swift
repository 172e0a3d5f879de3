struct JPEGHeader: Equatable {
    var width = 0
    var height = 0
    /// The EXIF orientation, 1 (upright) to 8.
    var orientation = 1
    /// True for Adobe's inverted CMYK: 255 means no ink.
    var isAdobe = false
    private var scans = 0

    /// Reads the markers up to the end of the picture.
    ///
    /// - Throws: `damaged` if no frame precedes the first scan, or if the file is too short for its
    ///   pixels; `tooLarge` for too many scans; `tooManyPixels`.
    init(_ bytes: [UInt8]) throws(QRCodeError) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(QRCodeError) in
            var at = 2
            while let (marker, start) = Self.nextMarker(in: buffer, from: at),
                marker != Self.endOfImage
            {
                at = start
                guard start + 2 <= buffer.count, !Self.standsAlone(marker) else { continue }
                let length = Int(buffer[start]) << 8 | Int(buffer[start + 1])
                let segment = UnsafeBufferPointer(
                    rebasing: buffer[start..<min(start + max(length, 2), buffer.count)])
                try read(segment, of: marker)
                at = start + segment.count
            }
        }
        guard width > 0 else { throw .damaged }
        // Even a blank page needs one or two bits for 64 pixels. A file with far fewer bits was cut
        // off or is an attack: a tiny file that makes this program search millions of pixels.
        guard width * height <= (bytes.count + 64) * PictureLimit.pixelsPerByte else {
            throw .damaged
        }
    }

    private static let startOfScan: UInt8 = 0xDA
    private static let endOfImage: UInt8 = 0xD9

    private static func standsAlone(_ marker: UInt8) -> Bool {
        marker == 0x01 || (0xD0...0xD8).contains(marker)
    }

    /// Returns the next marker, and the start of its segment. Skips stuffed zeros and fill bytes.
    private static func nextMarker(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> (marker: UInt8, segment: Int)? {
        var at = start
        while at + 1 < bytes.count {
            if bytes[at] == 0xFF, bytes[at + 1] != 0, bytes[at + 1] != 0xFF {
                return (bytes[at + 1], at + 2)
            }
            at += 1
        }
        return nil
    }

    private mutating func read(_ segment: UnsafeBufferPointer<UInt8>, of marker: UInt8)
        throws(QRCodeError)
    {
        switch marker {
        case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
            guard segment.count >= 8 else { throw .damaged }
            height = Int(segment[3]) << 8 | Int(segment[4])
            width = Int(segment[5]) << 8 | Int(segment[6])
            try PictureLimit.check(width: width, height: height)
        case Self.startOfScan:
            scans += 1
            guard width > 0 else { throw .damaged }
            guard scans <= PictureLimit.scans else { throw .tooLarge }
        case 0xE1:
            orientation = EXIF.orientation(inSegment: Array(segment)) ?? orientation
        case 0xEE:
            isAdobe = isAdobe || segment.dropFirst(2).starts(with: Array("Adobe".utf8))
        default:
            break
        }
    }
}
