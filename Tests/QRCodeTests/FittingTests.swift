import Foundation
import Testing

@testable import QRCode

@Suite struct FittingTests {
    private func bitmap(_ width: Int, _ height: Int, channels: Int = 3, _ value: UInt8 = 90)
        -> Bitmap
    {
        Bitmap(
            width: width, height: height, channels: channels,
            samples: [UInt8](repeating: value, count: width * height * channels))
    }

    @Test(arguments: [
        (1_024, 512, 512, 256), (300, 1_200, 128, 512), (513, 1, 512, 1), (512, 512, 512, 512),
        (40, 30, 40, 30), (5_000, 3, 512, 1),
    ])
    func longerSideIsLimited(width: Int, height: Int, newWidth: Int, newHeight: Int)
        throws
    {
        let png = try #require(PNGCodec.encode(bitmap(width, height), limit: 50_000_000))
        let fitted = try PNGCodec.decode([UInt8](try Picture.fitting(Data(png), side: 512)))
        #expect((fitted.width, fitted.height) == (newWidth, newHeight))
        #expect(fitted.samples.allSatisfy { $0 == 90 })
    }

    @Test func eachPixelIsTheMeanOfItsArea() {
        let picture = Bitmap(width: 3, height: 1, channels: 1, samples: [0, 90, 180])
        #expect(picture.fitting(2).samples == [30, 150])
        #expect(picture.fitting(1).samples == [90])
    }

    @Test func transparentPixelsAddNoColour() {
        let picture = Bitmap(
            width: 2, height: 1, channels: 4, samples: [255, 0, 0, 255, 0, 255, 0, 0])
        #expect(picture.fitting(1).samples == [255, 0, 0, 128])
    }

    @Test func fittedJPEGStaysJPEGWithoutMetadata() throws {
        let jpeg = try #require(JPEGCodec.encode(bitmap(1_000, 700), quality: 90))
        let comment: [UInt8] = Array("51.5007N".utf8)
        let tagged = Data(
            jpeg.prefix(2) + [0xFF, 0xFE, 0, UInt8(comment.count + 2)] + comment + jpeg.dropFirst(2)
        )
        let fitted = try Picture.fitting(tagged, side: 512)
        #expect(PictureFormat(sniffing: fitted) == .jpeg)
        #expect(fitted.range(of: Data(comment)) == nil)
        let header = try JPEGHeader([UInt8](fitted))
        #expect(
            try JPEGCodec.decode([UInt8](fitted), gray: false, header: header).bitmap.width == 512)
    }

    @Test func otherBytesAreNotFitted() {
        #expect(throws: QRCodeError.notAPicture) {
            try Picture.fitting(Data("GIF89a".utf8), side: 512)
        }
        #expect(throws: QRCodeError.tooLarge) {
            try Picture.fitting(
                Data([0xFF, 0xD8, 0xFF]) + Data(repeating: 0, count: 40_000_000), side: 512)
        }
    }
}
