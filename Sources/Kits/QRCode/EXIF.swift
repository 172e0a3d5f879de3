/// Reads only the orientation from EXIF.
enum EXIF {
    /// Returns the orientation (1 to 8) in a JPEG's APP1 segment, if there is one. The segment
    /// begins with its length.
    static func orientation(inSegment segment: [UInt8]) -> Int? {
        guard segment.dropFirst(2).starts(with: Array("Exif\0\0".utf8)) else { return nil }
        return orientation(inTIFF: Array(segment.dropFirst(8)))
    }

    /// Returns the orientation in a TIFF structure, from JPEG's APP1 segment or PNG's eXIf chunk.
    static func orientation(inTIFF tiff: [UInt8]) -> Int? {
        guard let order = tiff.first, order == UInt8(ascii: "I") || order == UInt8(ascii: "M")
        else { return nil }
        let isLittleEndian = order == UInt8(ascii: "I")

        func number(at index: Int, size: Int) -> Int? {
            guard index >= 0, index + size <= tiff.count else { return nil }
            let bytes = tiff[index..<index + size]
            return (isLittleEndian ? Array(bytes.reversed()) : Array(bytes)).reduce(0) {
                $0 << 8 | Int($1)
            }
        }

        guard let directory = number(at: 4, size: 4), let count = number(at: directory, size: 2)
        else { return nil }
        for entry in 0..<count {
            let at = directory + 2 + entry * 12
            guard let tag = number(at: at, size: 2) else { return nil }
            guard tag == 0x0112 else { continue }
            // Some programs write a LONG (type 4) instead of a SHORT. In big-endian order, a LONG
            // needs all four bytes of the field.
            let size = number(at: at + 2, size: 2) == 4 ? 4 : 2
            guard let value = number(at: at + 8, size: size), (1...8).contains(value) else {
                return nil
            }
            return value
        }
        return nil
    }
}
