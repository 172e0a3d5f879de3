/// Removes the chunks of a PNG that don't affect its picture, so that the library doesn't read
/// them. A text or colour profile of a few kilobytes can unpack to megabytes. A file can contain a
/// thousand of them.
enum PNGChunks {
    private static let kept: Set<UInt32> = [
        0x4948_4452,  // IHDR
        0x504C_5445,  // PLTE
        0x7452_4E53,  // tRNS
        0x6741_4D41,  // gAMA
        0x7352_4742,  // sRGB
        0x4944_4154,  // IDAT
    ]
    private static let header: UInt32 = 0x4948_4452
    private static let end: UInt32 = 0x4945_4E44
    private static let exif: UInt32 = 0x6558_4966
    private static let signatureSize = 8
    /// The size of a chunk's length, type and checksum, in bytes.
    private static let frameSize = 12

    /// Returns the PNG with only the chunks of its picture, and without bytes after the picture's
    /// end.
    ///
    /// - Throws: `damaged` if the PNG is cut off or doesn't begin with its header; `tooManyPixels`.
    static func essential(of bytes: [UInt8]) throws(QRCodeError) -> [UInt8] {
        var result = Array(bytes.prefix(signatureSize))
        result.reserveCapacity(bytes.count)
        var at = signatureSize
        while at + frameSize <= bytes.count {
            let length = Int(number(in: bytes, at: at))
            let type = number(in: bytes, at: at + 4)
            let next = at + frameSize + length
            guard next <= bytes.count else { throw .damaged }
            if at == signatureSize {
                guard type == header, length == 13 else { throw .damaged }
                try PictureLimit.check(
                    width: Int(number(in: bytes, at: at + 8)),
                    height: Int(number(in: bytes, at: at + 12))
                )
            }
            if kept.contains(type) || type == end { result += bytes[at..<next] }
            if type == end { return result }
            at = next
        }
        throw .damaged
    }

    /// Returns the orientation (1 to 8) in the eXIf chunk, or 1 without a valid eXIf chunk.
    static func orientation(of bytes: [UInt8]) -> Int {
        var at = signatureSize
        while at + frameSize <= bytes.count {
            let length = Int(number(in: bytes, at: at))
            let type = number(in: bytes, at: at + 4)
            guard at + frameSize + length <= bytes.count, type != end else { return 1 }
            if type == exif {
                let content = Array(bytes[at + 8..<at + 8 + length])
                return EXIF.orientation(inTIFF: content) ?? 1
            }
            at += frameSize + length
        }
        return 1
    }

    private static func number(in bytes: [UInt8], at index: Int) -> UInt32 {
        bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
