import Domain
import Foundation
import Testing

@testable import QRCode

/// A grey picture. A test draws a QR code into it and then degrades it.
struct Photograph {
    let width: Int
    let height: Int
    var pixels: [Double]

    init(width: Int, height: Int, light: Double = 235) {
        self.width = width
        self.height = height
        pixels = [Double](repeating: light, count: width * height)
    }

    var bitmap: Bitmap {
        Bitmap(
            width: width, height: height, channels: 1,
            samples: pixels.map { UInt8(min(max($0, 0), 255)) })
    }

    func png() throws -> Data {
        Data(try #require(PNGCodec.encode(bitmap, limit: pixels.count * 2 + 4096)))
    }

    func jpeg(quality: Int) throws -> Data {
        Data(try #require(JPEGCodec.encode(bitmap, quality: quality)))
    }

    mutating func forEachPixel(_ change: (_ x: Int, _ y: Int, _ value: inout Double) -> Void) {
        pixels.withUnsafeMutableBufferPointer { pixels in
            for y in 0..<height {
                for x in 0..<width { change(x, y, &pixels[y * width + x]) }
            }
        }
    }

    /// Draws a code with its quiet zone, by default in the centre of the picture.
    ///
    /// - Parameters:
    ///   - module: The size of a module, in pixels.
    ///   - degrees: The clockwise rotation.
    ///   - slant: How much farther from the viewer one side is than the opposite side.
    ///   - tilt: The backwards tilt, in degrees. The viewer's distance is twice the code's side.
    ///   - bend: How far the paper bulges, in modules.
    mutating func draw(
        _ code: QRCodeImage, module: Double, degrees: Double = 0,
        slant: (x: Double, y: Double) = (0, 0), tilt: Double = 0,
        bend: Double = 0, at middle: (x: Double, y: Double)? = nil, dark: Double = 25,
        light: Double = 235
    ) {
        let side = Double(code.side)
        let middle = middle ?? (Double(width) / 2, Double(height) / 2)
        let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
        let (tipped, shortened) = (sin(tilt * .pi / 180) / 2, cos(tilt * .pi / 180))
        let border = side / 2 + 4
        let reach = Int(border * module * 2.2)
        code.modules.withUnsafeBufferPointer { modules in
            pixels.withUnsafeMutableBufferPointer { pixels in
                for y in max(0, Int(middle.y) - reach)..<min(height, Int(middle.y) + reach) {
                    for x in max(0, Int(middle.x) - reach)..<min(width, Int(middle.x) + reach) {
                        var (sum, covered) = (0.0, 0.0)
                        for part in 0..<4 {
                            let dx = Double(x) + (part & 1 == 0 ? 0.25 : 0.75) - middle.x
                            let dy = Double(y) + (part & 2 == 0 ? 0.25 : 0.75) - middle.y
                            // Undoes the rotation and then the perspective, to find the position on
                            // the code.
                            let (tx, ty) = (
                                (cosine * dx + sine * dy) / module,
                                (cosine * dy - sine * dx) / module / shortened
                            )
                            let depth = 1 - slant.x * tx / side - (slant.y + tipped) * ty / side
                            guard depth > 0.1 else { continue }
                            let (u, straight) = (tx / depth, ty / depth)
                            let v = bend == 0 ? straight : straight + bend * cos(u * .pi / side)
                            guard abs(u) < border, abs(v) < border else { continue }
                            covered += 1
                            let (column, row) = (
                                Int((u + side / 2).rounded(.down)),
                                Int((v + side / 2).rounded(.down))
                            )
                            let isInside =
                                column >= 0 && row >= 0 && column < code.side && row < code.side
                            sum += isInside && modules[row * code.side + column] ? dark : light
                        }
                        let at = y * width + x
                        pixels[at] = (sum + (4 - covered) * pixels[at]) / 4
                    }
                }
            }
        }
    }
}
