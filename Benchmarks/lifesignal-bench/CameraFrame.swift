import CTurboJPEG
import Foundation
import QRCode

enum CameraFrame {
    private static let (width, height) = (1280, 720)
    private static let pixelsPerModule = 7

    /// Returns a JPEG of 1280×720 that shows the QR code of this text, with uneven light and noise.
    /// The same text always gives the same picture.
    static func jpeg(showing text: String) throws -> Data {
        let code = try QRCode.encode(text)
        let side = code.side * pixelsPerModule
        let (left, top) = ((width - side) / 2, (height - side) / 2)
        var seed: UInt64 = 42
        var pixels = [UInt8](repeating: 0, count: width * height)
        for y in 0..<height {
            for x in 0..<width {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let noise = Int(seed >> 58) - 32
                let light = 150 + 60 * x / width
                let (column, row) = ((x - left) / pixelsPerModule, (y - top) / pixelsPerModule)
                let isInside = x >= left && y >= top && column < code.side && row < code.side
                let isDark = isInside && code.modules[row * code.side + column]
                pixels[y * width + x] = UInt8(min(max((isDark ? 50 : light) + noise, 0), 255))
            }
        }
        guard let compressor = tjInitCompress() else { throw BenchError("no JPEG compressor") }
        defer { tjDestroy(compressor) }
        var bytes: UnsafeMutablePointer<UInt8>?
        var size: UInt = 0
        defer { tjFree(bytes) }
        let status = tjCompress2(
            compressor, pixels, Int32(width), 0, Int32(height), Int32(TJPF_GRAY.rawValue), &bytes,
            &size, Int32(TJSAMP_GRAY.rawValue), 80, 0)
        guard status == 0, let bytes else { throw BenchError("the frame can't be compressed") }
        return Data(bytes: bytes, count: Int(size))
    }
}
