import Foundation
import Testing

@testable import QRCode

/// The test pictures, which all show the code "format". Each is a PNG or JPEG of a kind that often
/// causes trouble in libraries.
enum Fixtures {
    static let names = [
        "gray-1-bit.png", "gray-16-bit.png", "gray-alpha.png", "palette-2-bit.png",
        "palette-transparent.png",
        "rgb-interlaced.png", "rgb-metadata.png", "rgba-16-bit-interlaced.png",
        "rgba-transparent.png", "gray.jpg",
        "ycc-410.jpg", "ycc-420.jpg", "ycc-progressive.jpg", "rgb.jpg", "cmyk.jpg", "ycck.jpg",
    ]

    static func picture(_ name: String) throws -> Data {
        let folder = try #require(Bundle.module.url(forResource: "Pictures", withExtension: nil))
        return try Data(contentsOf: folder.appendingPathComponent(name))
    }

    /// Blocks of 16 pixels in 3 columns and 2 rows. Their colours reveal a wrong rotation.
    static let colouredBlocks: Bitmap = {
        let colours: [[UInt8]] = [
            [255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [0, 0, 0], [255, 255, 0],
        ]
        var samples: [UInt8] = []
        for y in 0..<32 {
            for x in 0..<48 { samples += colours[y / 16 * 3 + x / 16] }
        }
        return Bitmap(width: 48, height: 32, channels: 3, samples: samples)
    }()

    static func exif(
        orientation: UInt8, littleEndian: Bool = false, isLong: Bool = false
    ) -> [UInt8] {
        let tiff = tiff(orientation: orientation, littleEndian: littleEndian, isLong: isLong)
        return segment(0xE1, Array("Exif\0\0".utf8) + tiff)
    }

    /// - Parameter isLong: True for the type LONG, false for SHORT.
    static func tiff(
        orientation: UInt8, littleEndian: Bool = false, isLong: Bool = false
    ) -> [UInt8] {
        func number(_ value: UInt8, _ size: Int) -> [UInt8] {
            let zeros = [UInt8](repeating: 0, count: size - 1)
            return littleEndian ? [value] + zeros : zeros + [value]
        }
        return Array((littleEndian ? "II" : "MM").utf8) + number(42, 2) + number(8, 4)
            + number(1, 2) + (littleEndian ? [0x12, 0x01] : [0x01, 0x12])
            + number(isLong ? 4 : 3, 2)
            + number(1, 4)
            + (isLong ? number(orientation, 4) : number(orientation, 2) + [0, 0]) + number(0, 4)
    }

    static func inserting(chunk name: String, _ content: [UInt8], into png: [UInt8]) -> Data {
        func number(_ value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }
        let chunk = Array(name.utf8) + content
        // The signature and the header.
        var picture = Array(png[..<33])
        picture += number(UInt32(content.count)) + chunk + number(checksum(chunk))
        picture += png[33...]
        return Data(picture)
    }

    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count + 2
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + content
    }

    static func inserting(_ bytes: [UInt8], into jpeg: [UInt8]) -> Data {
        Data(jpeg.prefix(2) + bytes + jpeg.dropFirst(2))
    }

    /// Returns a PNG without pixels, whose header states the size.
    static func pngHeader(width: UInt32, height: UInt32) -> Data {
        func number(_ value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }
        let chunk = Array("IHDR".utf8) + number(width) + number(height) + [8, 0, 0, 0, 0]
        return Data(
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + number(13) + chunk
                + number(checksum(chunk))
                + number(0) + Array("IEND".utf8) + number(checksum(Array("IEND".utf8)))
        )
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
