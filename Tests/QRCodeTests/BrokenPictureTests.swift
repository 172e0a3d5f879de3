import Foundation
import SeededGenerator
import Testing

@testable import QRCode

/// Broken pictures must never crash the decoder. A picture either yields the right text or causes
/// an error.
@Suite struct BrokenPictureTests {
    static let text = "broken"

    static func samples() throws -> [Data] {
        let code = try QRCode.encode(text, scale: 2)
        let bitmap = try PNGCodec.decodeGray([UInt8](code.png))
        let names = ["rgb-interlaced.png", "ycc-progressive.jpg", "cmyk.jpg"]
        return try [code.png, Data(#require(JPEGCodec.encode(bitmap, quality: 70)))]
            + names.map(Fixtures.picture)
    }

    static func survives(_ picture: Data) -> Bool {
        do throws(QRCodeError) {
            let found = try QRCode.decode(picture)
            guard found == text || found == "format" else { return false }
        } catch {
            guard [.notAPicture, .damaged, .noCodeFound, .tooLarge, .tooManyPixels].contains(error)
            else {
                return false
            }
        }
        do throws(QRCodeError) {
            let stripped = try Picture.strippingMetadata(picture)
            return PictureFormat(sniffing: stripped) != nil
        } catch {
            return [.notAPicture, .damaged, .tooLarge, .tooManyPixels].contains(error)
        }
    }

    @Test(arguments: 0..<5) func truncatedPicturesDoNotCrash(_ number: Int) throws {
        let picture = try Self.samples()[number]
        let step = max(1, picture.count / 60)
        for length in stride(from: 0, to: picture.count, by: step) {
            #expect(Self.survives(picture.prefix(length)), "cut to \(length) bytes")
        }
        if PictureFormat(sniffing: picture) == .png {
            #expect(throws: QRCodeError.damaged) {
                try QRCode.decode(picture.prefix(picture.count - 1))
            }
        }
    }

    @Test(arguments: 0..<5) func randomlyBrokenPicturesDoNotCrash(_ number: Int) throws {
        let picture = try Self.samples()[number]
        var generator = SeededGenerator(seed: UInt64(number) + 1)
        for round in 0..<200 {
            var bytes = [UInt8](picture)
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let at = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1: bytes[at] = UInt8.random(in: 0...255, using: &generator)
                case 2: bytes.remove(at: at)
                default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: at)
                }
            }
            #expect(Self.survives(Data(bytes)), "round \(round)")
        }
    }

    /// Tests both sides of the limit: 1,000 pixels for each byte of the JPEG, plus 64 bytes of
    /// tolerance.
    @Test func fewBytesCannotClaimMillionsOfPixels() throws {
        let jpeg = [UInt8](try Fixtures.picture("gray.jpg"))
        let frame = try #require(
            jpeg.indices.first { jpeg[$0] == 0xFF && jpeg[min($0 + 1, jpeg.count - 1)] == 0xC0 })
        func claiming(_ width: Int, _ height: Int) throws -> [UInt8] {
            var bytes = jpeg
            bytes.replaceSubrange(
                frame + 5..<frame + 9,
                with: [height >> 8, height & 0xFF, width >> 8, width & 0xFF].map { UInt8($0) })
            return bytes
        }
        let rows = jpeg.count + 64
        #expect(try JPEGHeader(claiming(1_000, rows)).height == rows)
        #expect(throws: QRCodeError.damaged) { try JPEGHeader(claiming(1_000, rows + 1)) }
        #expect(throws: QRCodeError.damaged) { try QRCode.decode(Data(try claiming(6_000, 6_000))) }
    }

    /// The valid segment headers make the random content reach the decoder.
    @Test func validSegmentsWithRandomContentDoNotCrash() throws {
        var generator = SeededGenerator(seed: 99)
        for _ in 0..<100 {
            let size = Int.random(in: 1...300, using: &generator)
            let noise = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let jpeg = Fixtures.inserting(
                Fixtures.segment(0xE1, Array("Exif\0\0MM".utf8) + noise), into: [0xFF, 0xD8])
            #expect(Self.survives(jpeg))
            let gray = [UInt8](try Fixtures.picture("gray.jpg"))
            let tables = Fixtures.inserting(Fixtures.segment(0xC4, noise), into: gray)
            #expect(Self.survives(tables))
        }
    }
}
