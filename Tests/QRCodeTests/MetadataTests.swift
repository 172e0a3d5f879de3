import Foundation
import SeededGenerator
import Testing

@testable import QRCode

@Suite struct MetadataTests {
    static func contains(_ data: Data, _ text: String) -> Bool {
        data.range(of: Data(text.utf8)) != nil
    }

    @Test(arguments: Fixtures.names) func strippedPicturesStayReadable(_ name: String) throws {
        let picture = try Fixtures.picture(name)
        let stripped = try Picture.strippingMetadata(picture)
        #expect(PictureFormat(sniffing: stripped) == PictureFormat(sniffing: picture))
        #expect(try QRCode.decode(stripped) == "format")
    }

    @Test func strippedPNGLosesItsTexts() throws {
        let picture = try Fixtures.picture("rgb-metadata.png")
        #expect(Self.contains(picture, "Somebody at home") && Self.contains(picture, "zTXt"))
        let stripped = try Picture.strippingMetadata(picture + Data("<script>".utf8))
        for text in ["Someone", "tEXt", "zTXt", "tIME", "eXIf", "<script>"] {
            #expect(!Self.contains(stripped, text))
        }
        #expect(try PNGCodec.decode([UInt8](stripped)) == PNGCodec.decode([UInt8](picture)))
    }

    @Test func strippedJPEGLosesSegmentsAndTrailingBytes() throws {
        let secrets =
            Fixtures.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x:secret/>".utf8))
            + Fixtures.segment(0xFE, Array("a comment".utf8))
            + Fixtures.segment(0xE2, Array("ICC_PROFILE\0".utf8))
            + Fixtures.exif(orientation: 1)
        let plain = [UInt8](try Fixtures.picture("ycc-420.jpg"))
        let picture = Fixtures.inserting(secrets, into: plain) + Data("PK\u{3}\u{4}".utf8)
        let stripped = try Picture.strippingMetadata(picture)
        for text in ["secret", "a comment", "ICC_PROFILE", "Exif", "PK\u{3}\u{4}"] {
            #expect(Self.contains(picture, text) && !Self.contains(stripped, text))
        }
        #expect(stripped.suffix(2) == Data([0xFF, 0xD9]))
    }

    @Test func alphaIsKept() throws {
        let stripped = try Picture.strippingMetadata(Fixtures.picture("rgba-transparent.png"))
        let bitmap = try PNGCodec.decode([UInt8](stripped))
        #expect(bitmap.channels == 4)
        #expect(bitmap.samples[3] == 0)
    }

    /// The visible colours of the corners for each orientation, clockwise from the upper left.
    @Test(arguments: [
        (1, "RBYW"), (2, "BRWY"), (3, "YWRB"), (4, "WYBR"), (5, "RWYB"), (6, "WRBY"), (7, "YBRW"),
        (8, "BYWR"),
    ])
    func orientationIsApplied(orientation: Int, corners: String) throws {
        let blocks = Fixtures.colouredBlocks
        let jpeg = try #require(JPEGCodec.encode(blocks, quality: 95))
        for littleEndian in [false, true] {
            let exif = Fixtures.exif(orientation: UInt8(orientation), littleEndian: littleEndian)
            let stripped = [UInt8](
                try Picture.strippingMetadata(Fixtures.inserting(exif, into: jpeg)))
            let header = try JPEGHeader(stripped)
            #expect(header.orientation == 1)
            let turned = try JPEGCodec.decode(stripped, gray: false, header: header).bitmap
            #expect((turned.width, turned.height) == (orientation < 5 ? (48, 32) : (32, 48)))
            #expect(Self.corners(of: turned) == corners)
        }
    }

    @Test(arguments: [false, true]) func orientationOfTypeLongIsRead(littleEndian: Bool) throws {
        let jpeg = try #require(JPEGCodec.encode(Fixtures.colouredBlocks, quality: 95))
        let exif = Fixtures.exif(orientation: 6, littleEndian: littleEndian, isLong: true)
        let header = try JPEGHeader([UInt8](Fixtures.inserting(exif, into: jpeg)))
        #expect(header.orientation == 6)
    }

    @Test(arguments: [(1, "RBYW"), (3, "YWRB"), (6, "WRBY"), (8, "BYWR")])
    func rotatedPNGIsTurnedUpright(orientation: Int, corners: String) throws {
        let png = try #require(PNGCodec.encode(Fixtures.colouredBlocks, limit: 100_000))
        let tiff = Fixtures.tiff(orientation: UInt8(orientation))
        let turned = Fixtures.inserting(chunk: "eXIf", tiff, into: png)
        for picture in [
            try Picture.strippingMetadata(turned), try Picture.fitting(turned, side: 100),
        ] {
            let upright = try PNGCodec.decode([UInt8](picture))
            #expect((upright.width, upright.height) == (orientation < 5 ? (48, 32) : (32, 48)))
            #expect(Self.corners(of: upright) == corners)
            #expect(PNGChunks.orientation(of: [UInt8](picture)) == 1)
        }
    }

    @Test(arguments: [[], [0x4D], Array("MM\0*\u{7F}\u{7F}\u{7F}\u{7F}".utf8)] as [[UInt8]])
    func brokenOrientationIsIgnored(tiff: [UInt8]) throws {
        let png = try #require(PNGCodec.encode(Fixtures.colouredBlocks, limit: 100_000))
        let picture = Fixtures.inserting(chunk: "eXIf", tiff, into: png)
        #expect(PNGChunks.orientation(of: [UInt8](picture)) == 1)
        #expect(try PNGCodec.decode([UInt8](Picture.strippingMetadata(picture))).width == 48)
    }

    private static func corners(of bitmap: Bitmap) -> String {
        let places = [
            (4, 4), (bitmap.width - 5, 4), (bitmap.width - 5, bitmap.height - 5),
            (4, bitmap.height - 5),
        ]
        return String(
            places.map { x, y -> Character in
                let at = (y * bitmap.width + x) * 3
                switch bitmap.samples[at..<at + 3].map({ $0 > 127 }) {
                case [true, false, false]: return "R"
                case [false, false, true]: return "B"
                case [true, true, true]: return "W"
                case [true, true, false]: return "Y"
                default: return "?"
                }
            }
        )
    }

    @Test func damagedPictureIsRefused() throws {
        for name in ["ycc-420.jpg", "ycc-progressive.jpg", "rgb-interlaced.png"] {
            let picture = try Fixtures.picture(name)
            #expect(throws: QRCodeError.damaged) {
                try Picture.strippingMetadata(picture.prefix(picture.count / 2))
            }
        }
    }

    @Test func oversizedPictureIsScaledDown() throws {
        // Grey noise hardly compresses. Stored as RGB, the picture would be three times as large as
        // the limit.
        var generator = SeededGenerator(seed: 5)
        let noise = (0..<1_900_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) & 0xFE }
        let bitmap = Bitmap(width: 1900, height: 1000, channels: 1, samples: noise)
        let png = try #require(PNGCodec.encode(bitmap, limit: 5_000_000))
        #expect(try Picture.strippingMetadata(Data(png)).count <= Picture.maximumByteCount)
        #expect(PNGCodec.encode(bitmap, limit: 1_000_000) == nil)
    }

    @Test func filesAboveFiveMegabytesAreRefused() throws {
        let picture = try Fixtures.picture("gray.jpg")
        let padding = Data(count: Picture.maximumByteCount - picture.count)
        #expect(try Picture.strippingMetadata(picture + padding).count < 10_000)
        #expect(throws: QRCodeError.tooLarge) {
            try Picture.strippingMetadata(picture + padding + Data(count: 1))
        }
    }

    @Test func halvingKeepsEdgesOfOddAndTinyPictures() {
        let line = Bitmap(width: 1, height: 3, channels: 1, samples: [10, 20, 90])
        #expect(line.halved() == Bitmap(width: 1, height: 1, channels: 1, samples: [15]))
        let pair = Bitmap(width: 2, height: 1, channels: 2, samples: [0, 255, 100, 55])
        #expect(pair.halved() == Bitmap(width: 1, height: 1, channels: 2, samples: [50, 155]))
    }
}
