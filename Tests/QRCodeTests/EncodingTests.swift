import Foundation
import QRCode
import Testing

@Suite struct EncodingTests {
    @Test(arguments: [
        "A", "0", "HELLO 123", "https://example.org/?a=b&c=d", "é", "ß", "Grüße aus Köln",
        "日本語のテキスト", "ﾊﾝｶｸ",
        "👩‍👩‍👧‍👦 and 🚨", "line\nbreak\ttab", "a\0b",
        String(repeating: "{\"key\":\"value\"}", count: 20),
    ])
    func textRoundTrips(_ text: String) throws {
        let image = try QRCode.encode(text)
        #expect(try QRCode.decode(image.png) == text)
    }

    @Test(arguments: [(1, 4), (2, 4), (3, 2), (8, 4), (20, 8)])
    func roundTripsAtEveryScale(scale: Int, quietZone: Int) throws {
        let image = try QRCode.encode("scale", scale: scale, quietZone: quietZone)
        #expect(try QRCode.decode(image.png) == "scale")
    }

    @Test func longestTextFitsAndOneMoreByteDoesNot() throws {
        let longest = String(repeating: "x", count: 2331)
        let image = try QRCode.encode(longest, scale: 3)
        #expect(image.side == 177)
        #expect(try QRCode.decode(image.png) == longest)
        #expect(throws: QRCodeError.textTooLong) { try QRCode.encode(longest + "x") }
        #expect(throws: QRCodeError.textTooLong) {
            try QRCode.encode(String(repeating: "é", count: 1166))
        }
    }

    @Test func emptyTextIsRefused() {
        #expect(throws: QRCodeError.emptyText) { try QRCode.encode("") }
    }

    @Test func modulesHaveThreeFinderPatterns() throws {
        let image = try QRCode.encode("x")
        #expect(image.side == 21)
        #expect(image.modules.count == 21 * 21)
        let ring = [true, true, true, true, true, true, true, false]
        #expect(Array(image.modules[0..<8]) == ring)
        #expect(Array(image.modules[13..<21]) == ring.reversed())
        #expect(Array(image.modules[20 * 21..<20 * 21 + 8]) == ring)
        let inner = [true, false, true, true, true, false, true, false]
        #expect(Array(image.modules[3 * 21..<3 * 21 + 8]) == inner)
    }

    @Test func sameTextGivesTheSamePicture() throws {
        #expect(try QRCode.encode("same") == QRCode.encode("same"))
        #expect(try QRCode.encode("same") != QRCode.encode("other"))
    }

    @Test func sizesAreClamped() throws {
        #expect(
            try QRCode.encode("x", scale: 0, quietZone: -1)
                == QRCode.encode("x", scale: 1, quietZone: 0))
        #expect(
            try QRCode.encode("x", scale: 65, quietZone: 4)
                == QRCode.encode("x", scale: 64, quietZone: 4))
    }

    @Test func everyErrorHasADescription() {
        let errors: [QRCodeError] = [
            .emptyText, .textTooLong, .notAPicture, .tooLarge, .tooManyPixels, .damaged,
            .noCodeFound, .encodingFailed,
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        #expect("\(QRCodeError.tooManyPixels)".contains("40 megapixels"))
    }
}
