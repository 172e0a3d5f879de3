/// The chunks of a PNG that make its picture. The others are left out before the library sees them:
/// a text or a colour profile of a few kilobytes may unpack to megabytes, a thousand times in one
/// file.
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
    private static let signatureSize = 8
    /// Length, type and checksum.
    private static let frameSize = 12

    /// The same PNG with nothing but its picture, up to its end.
    ///
    /// - Throws: `damaged` when it is cut off or does not begin with its header; `tooLarge`.
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

    private static func number(in bytes: [UInt8], at index: Int) -> UInt32 {
        bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
