import Foundation
import Testing

@testable import QRCode

@Suite struct FormatTests {
    @Test(arguments: Fixtures.names) func readsEveryKindOfPicture(_ name: String) throws {
        #expect(try QRCode.decode(Fixtures.picture(name)) == "format")
    }

    @Test func formatFollowsTheContent() throws {
        #expect(try PictureFormat(sniffing: Fixtures.picture("rgb.jpg")) == .jpeg)
        #expect(try PictureFormat(sniffing: Fixtures.picture("gray-1-bit.png")) == .png)
        // A slice keeps the indices of its data, so the first index isn't 0.
        let slice = try (Data([1, 2, 3]) + Fixtures.picture("gray-1-bit.png")).dropFirst(3)
        #expect(PictureFormat(sniffing: slice) == .png)
        #expect(try QRCode.decode(slice) == "format")
    }

    @Test(arguments: [
        "", "G", "GIF89a............", "RIFF....WEBPVP8 ", "<svg/>", "%PDF-1.4", "BM123456",
        "\u{89}PNG",
    ])
    func otherBytesAreNotAPicture(_ text: String) {
        #expect(PictureFormat(sniffing: Data(text.utf8)) == nil)
        #expect(throws: QRCodeError.notAPicture) { try QRCode.decode(Data(text.utf8)) }
        #expect(throws: QRCodeError.notAPicture) { try Picture.strippingMetadata(Data(text.utf8)) }
    }

    @Test(arguments: [(1, 1), (1, 400), (400, 1), (20, 20), (21, 21), (64, 64)])
    func pictureWithoutCodeThrows(width: Int, height: Int) throws {
        let photo = Photograph(width: width, height: height)
        #expect(throws: QRCodeError.noCodeFound) { try QRCode.decode(photo.png()) }
        #expect(throws: QRCodeError.noCodeFound) { try QRCode.decode(photo.jpeg(quality: 80)) }
    }

    @Test func sizeIsCheckedBeforeAllocation() {
        let sizes: [(UInt32, UInt32)] = [
            (12_001, 10), (10, 12_001), (12_000, 3_334), (0x7FFF_FFFF, 0x7FFF_FFFF),
        ]
        for (width, height) in sizes {
            let bomb = Fixtures.pngHeader(width: width, height: height)
            #expect(throws: QRCodeError.tooManyPixels) { try QRCode.decode(bomb) }
            #expect(throws: QRCodeError.tooManyPixels) { try Picture.strippingMetadata(bomb) }
        }
        #expect(throws: QRCodeError.damaged) {
            try QRCode.decode(Fixtures.pngHeader(width: 0, height: 5))
        }
        #expect(throws: QRCodeError.damaged) {
            try QRCode.decode(Fixtures.pngHeader(width: 50, height: 50))
        }
    }

    @Test func hugeJPEGIsRefused() throws {
        var bytes = [UInt8](try Fixtures.picture("gray.jpg"))
        let frame = try #require(
            bytes.indices.dropLast(8).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
        bytes.replaceSubrange(frame + 5..<frame + 9, with: [0x2E, 0xE0, 0x2E, 0xE0])
        #expect(throws: QRCodeError.tooManyPixels) { try QRCode.decode(Data(bytes)) }
        #expect(throws: QRCodeError.tooManyPixels) { try Picture.strippingMetadata(Data(bytes)) }
    }

    @Test func endlessScansAreRefused() throws {
        let bytes = [UInt8](try Fixtures.picture("ycc-progressive.jpg"))
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, 0]
        let scans = [[UInt8]](repeating: scan, count: 70).flatMap { $0 }
        #expect(throws: QRCodeError.tooLarge) {
            try QRCode.decode(Data(bytes.dropLast(2) + scans + [0xFF, 0xD9]))
        }
    }

    @Test func tooLargeFileIsRefused() throws {
        let picture = try Fixtures.picture("gray.jpg")
        let padding = Data(count: QRCode.maximumPictureByteCount - picture.count)
        #expect(try QRCode.decode(picture + padding) == "format")
        #expect(throws: QRCodeError.tooLarge) {
            try QRCode.decode(picture + padding + Data(count: 1))
        }
    }

    /// Without a limit, ZXing would try each combination of three of the 2,500 patterns, which
    /// takes over a minute.
    @Test func pictureFullOfFinderPatternsIsAbandoned() throws {
        var photo = Photograph(width: 500, height: 500)
        photo.forEachPixel { x, y, value in
            let ring = max(abs(x % 10 - 3), abs(y % 10 - 3))
            if ring <= 3, ring != 2 { value = 0 }
        }
        let picture = try photo.png()
        let duration = ContinuousClock().measure {
            #expect(throws: QRCodeError.noCodeFound) { try QRCode.decode(picture) }
        }
        #expect(duration < .seconds(30))
    }

    @Test func largePhotographIsReadInSmallerCopies() throws {
        let code = try QRCode.encode("large", scale: 40)
        var bitmap = try PNGCodec.decodeGray([UInt8](code.png))
        let wide = 2400
        var samples = [UInt8](repeating: 255, count: wide * bitmap.height)
        for y in 0..<bitmap.height {
            samples.replaceSubrange(
                y * wide..<y * wide + bitmap.width,
                with: bitmap.samples[y * bitmap.width..<(y + 1) * bitmap.width]
            )
        }
        bitmap = Bitmap(width: wide, height: bitmap.height, channels: 1, samples: samples)
        #expect(bitmap.width * bitmap.height > 2_500_000)
        #expect(try QRCode.decode(Data(#require(JPEGCodec.encode(bitmap, quality: 80)))) == "large")
    }
}
