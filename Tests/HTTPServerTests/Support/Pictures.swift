import Foundation
import Testing

@testable import QRCode

/// Pictures with metadata that the server must remove.
enum Pictures {
    static let secret = "51.5007N 0.1246W"

    static func png(_ text: String = "hello") throws -> Data { try QRCode.encode(text).png }

    static func pngWithPlace() throws -> Data {
        let png = [UInt8](try png())
        let end = png.count - 12
        return Data(png[..<end] + chunk("tEXt", Array("Comment\0\(secret)".utf8)) + png[end...])
            + Data(secret.utf8)
    }

    static func jpegWithPlace() throws -> Data {
        let bitmap = Bitmap(
            width: 16, height: 16, channels: 3, samples: [UInt8](repeating: 90, count: 16 * 16 * 3))
        let jpeg = try #require(JPEGCodec.encode(bitmap, quality: 90))
        let comment = Array(secret.utf8)
        let segment = [0xFF, 0xFE, 0, UInt8(comment.count + 2)] + comment
        return Data(jpeg.prefix(2) + segment + jpeg.dropFirst(2))
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + content
        return number(UInt32(content.count)) + body + number(checksum(body))
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
        }
        return ~sum
    }
}
