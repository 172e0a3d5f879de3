import Foundation
import SeededGenerator

extension Photograph {
    mutating func addNoise(_ deviation: Double, using generator: inout SeededGenerator) {
        forEachPixel { _, _, value in value += deviation * generator.nextNormal() }
    }

    /// Makes the picture darker towards one side, down to the fraction `least` of its brightness.
    mutating func dim(towards degrees: Double, least: Double) {
        let (dx, dy) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
        let (halfWidth, halfHeight) = (Double(width) / 2, Double(height) / 2)
        let reach = abs(dx) * halfWidth + abs(dy) * halfHeight
        forEachPixel { x, y, value in
            let along = ((Double(x) - halfWidth) * dx + (Double(y) - halfHeight) * dy) / reach
            value *= least + (1 - least) * (1 - along) / 2
        }
    }

    /// Adds the reflection of a window or lamp: white in the middle, fading to nothing at twice the
    /// radius.
    mutating func addGlare(atX centreX: Double, y centreY: Double, radius: Double) {
        forEachPixel { x, y, value in
            let distance = hypot(Double(x) - centreX, Double(y) - centreY) / radius
            let strength = min(max(2 - distance, 0), 1)
            value += (255 - value) * strength
        }
    }

    /// Adds the bright and dark bands of a photographed screen.
    mutating func addStripes(period: Double, degrees: Double, strength: Double) {
        let (dx, dy) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
        forEachPixel { x, y, value in
            value += strength * sin(2 * .pi * (Double(x) * dx + Double(y) * dy) / period)
        }
    }

    /// Adds fibres and stains: noise in patches of `grain` pixels.
    mutating func addTexture(grain: Int, strength: Double, using generator: inout SeededGenerator) {
        let columns = width / grain + 2
        let patches = (0..<columns * (height / grain + 2)).map { _ in
            strength * generator.nextNormal()
        }
        patches.withUnsafeBufferPointer { patches in
            forEachPixel { x, y, value in
                let (column, row) = (x / grain, y / grain)
                let (right, down) = (
                    Double(x % grain) / Double(grain), Double(y % grain) / Double(grain)
                )
                let at = row * columns + column
                let above = patches[at] * (1 - right) + patches[at + 1] * right
                let below = patches[at + columns] * (1 - right) + patches[at + columns + 1] * right
                value += above * (1 - down) + below * down
            }
        }
    }

    mutating func invert() {
        forEachPixel { _, _, value in value = 255 - value }
    }

    /// Defocuses the picture with box blurs of `2 * radius + 1` pixels in both directions.
    mutating func blur(radius: Int, passes: Int) {
        for _ in 0..<passes {
            blurLines(count: height, length: width, along: 1, across: width, radius: radius)
            blurLines(count: width, length: height, along: width, across: 1, radius: radius)
        }
    }

    private mutating func blurLines(count: Int, length: Int, along: Int, across: Int, radius: Int) {
        var line = [Double](repeating: 0, count: length)
        pixels.withUnsafeMutableBufferPointer { pixels in
            line.withUnsafeMutableBufferPointer { line in
                for number in 0..<count {
                    let start = number * across
                    var sum = 0.0
                    for offset in -radius..<radius {
                        sum += pixels[start + min(max(offset, 0), length - 1) * along]
                    }
                    for at in 0..<length {
                        sum += pixels[start + min(at + radius, length - 1) * along]
                        line[at] = sum / Double(2 * radius + 1)
                        sum -= pixels[start + max(at - radius, 0) * along]
                    }
                    for at in 0..<length { pixels[start + at * along] = line[at] }
                }
            }
        }
    }
}
