import Domain
import Foundation
import SeededGenerator
import Testing

@testable import QRCode

/// Reads pictures such as people take, from easy to hard. Each kind has ten or twelve pictures. The
/// minimum for ten pictures is one below today's result. The minimum for twelve pictures is ten,
/// which is a requirement.
@Suite struct HardPictureTests {
    static let payload =
        #"{"id":"6F9619FF-8B86-D011-B42D-00C04FC964FF","#
        + #""userID":"123E4567-E89B-12D3-A456-426614174000","#
        + #""timestamp":"2026-01-01T00:00:00.000Z","appVersion":"1.0","deviceModel":"web"}"#

    struct Kind: CustomTestStringConvertible, Sendable {
        let name: String
        let floor: Int
        var count = 10
        /// Creates a picture of a code. `step` counts from 0.
        let picture: @Sendable (QRCodeImage, _ step: Int, inout SeededGenerator) throws -> Data

        var testDescription: String { name }
    }

    @Test(arguments: kinds + photographs) func readsAtLeast(_ kind: Kind) throws {
        let code = try QRCode.encode(Self.payload)
        var read = ""
        for step in 0..<kind.count {
            var generator = SeededGenerator(
                seed: kind.name.utf8.reduce(UInt64(step)) { $0 &* 31 &+ UInt64($1) })
            let picture = try kind.picture(code, step, &generator)
            read += (try? QRCode.decode(picture)) == Self.payload ? "+" : "-"
        }
        let count = read.count { $0 == "+" }
        print("hard pictures: \(kind.name) \(count)/\(kind.count) \(read)")
        #expect(count >= kind.floor)
    }

    static let kinds: [Kind] = [
        Kind(name: "rotated", floor: 9) { code, step, _ in
            var photo = Photograph(width: 340, height: 340)
            photo.draw(code, module: 3.6, degrees: Double(step) * 36 + 7)
            return try photo.png()
        },
        Kind(name: "small", floor: 9) { code, step, _ in
            var photo = Photograph(width: 220, height: 220)
            photo.draw(code, module: 2.8 - Double(step) * 0.15, degrees: Double(step))
            return try photo.png()
        },
        Kind(name: "slanted", floor: 6) { code, step, _ in
            var photo = Photograph(width: 420, height: 420)
            let slant = 0.1 + Double(step) * 0.05
            let downwards = step.isMultiple(of: 2) ? slant / 2 : 0
            photo.draw(code, module: 4, degrees: Double(step) * 5, slant: (slant, downwards))
            return try photo.png()
        },
        Kind(name: "bent", floor: 8) { code, step, _ in
            var photo = Photograph(width: 340, height: 340)
            photo.draw(code, module: 4, bend: 0.2 + Double(step) * 0.2)
            return try photo.png()
        },
        Kind(name: "unevenly lit", floor: 9) { code, step, generator in
            var photo = Photograph(width: 300, height: 300)
            photo.draw(code, module: 4, degrees: Double(step) * 3)
            photo.dim(towards: Double(step) * 40, least: 0.3 - Double(step) * 0.03)
            photo.addNoise(3, using: &generator)
            return try photo.png()
        },
        Kind(name: "low in contrast", floor: 9) { code, step, generator in
            let range = 60 - Double(step) * 6
            var photo = Photograph(width: 300, height: 300, light: 120 + range)
            photo.draw(code, module: 4, degrees: Double(step) * 3, dark: 120, light: 120 + range)
            photo.addNoise(2, using: &generator)
            return try photo.png()
        },
        Kind(name: "blurred", floor: 5) { code, step, generator in
            var photo = Photograph(width: 340, height: 340)
            photo.draw(code, module: 4, degrees: Double(step) * 3)
            photo.blur(radius: step < 5 ? 1 : 2, passes: step < 5 ? step + 1 : step - 4)
            photo.addNoise(2, using: &generator)
            return try photo.png()
        },
        Kind(name: "noisy", floor: 6) { code, step, generator in
            var photo = Photograph(width: 300, height: 300, light: 200)
            photo.draw(code, module: 4, degrees: Double(step) * 3, dark: 50, light: 200)
            photo.addNoise(20 + 8 * Double(step), using: &generator)
            return try photo.png()
        },
        Kind(name: "striped", floor: 9) { code, step, generator in
            var photo = Photograph(width: 300, height: 300, light: 190)
            photo.draw(code, module: 4, degrees: 2, dark: 60, light: 190)
            photo.addStripes(
                period: 2.3 + Double(step) * 0.7, degrees: Double(step) * 23, strength: 50)
            photo.addNoise(4, using: &generator)
            return try photo.png()
        },
        Kind(name: "compressed", floor: 9) { code, step, generator in
            var photo = Photograph(width: 300, height: 300)
            photo.draw(code, module: 3.3, degrees: Double(step) * 4)
            photo.addNoise(6, using: &generator)
            return try photo.jpeg(quality: 20 - step)
        },
        Kind(name: "inverted", floor: 9) { code, step, generator in
            var photo = Photograph(width: 300, height: 300)
            photo.draw(code, module: 4, degrees: Double(step) * 11)
            photo.invert()
            photo.addNoise(4 * Double(step), using: &generator)
            return try photo.png()
        },
        Kind(name: "glaring", floor: 9) { code, step, generator in
            var photo = Photograph(width: 300, height: 300, light: 190)
            photo.draw(code, module: 4, degrees: Double(step) * 3, dark: 40, light: 190)
            let turn = Double(step) * 0.7
            photo.addGlare(
                atX: 165 + 35 * cos(turn), y: 165 + 35 * sin(turn), radius: 8 + 1.5 * Double(step))
            photo.addNoise(3, using: &generator)
            return try photo.png()
        },
        Kind(name: "far away in a noisy frame", floor: 9) { code, step, generator in
            var photo = Photograph(width: 1280, height: 720, light: 120)
            photo.addTexture(grain: 40, strength: 40, using: &generator)
            let middle = (200 + 90 * Double(step), 560 - 40 * Double(step))
            let module = 3.4 - 0.12 * Double(step)
            photo.draw(
                code, module: module, degrees: Double(step) * 9, at: middle, dark: 40, light: 210)
            photo.addNoise(12, using: &generator)
            return try photo.jpeg(quality: 85)
        },
        Kind(name: "on rough paper", floor: 6) { code, step, generator in
            var photo = Photograph(width: 300, height: 300, light: 190)
            photo.draw(code, module: 4, degrees: Double(step) * 5, dark: 70, light: 190)
            photo.addTexture(grain: 24, strength: 10 + 4 * Double(step), using: &generator)
            photo.addTexture(grain: 3, strength: 10 + 3 * Double(step), using: &generator)
            return try photo.png()
        },
        Kind(name: "all at once", floor: 6) { code, step, generator in
            var photo = Photograph(width: 420, height: 420, light: 200)
            let slant = 0.1 + Double(step) * 0.03
            photo.draw(
                code, module: 4, degrees: Double(step) * 37, slant: (slant, -slant / 2), dark: 50,
                light: 200
            )
            photo.dim(towards: Double(step) * 50, least: 0.5)
            photo.blur(radius: 1, passes: 1)
            photo.addNoise(4 + Double(step), using: &generator)
            return try photo.jpeg(quality: 60)
        },
    ]
}
