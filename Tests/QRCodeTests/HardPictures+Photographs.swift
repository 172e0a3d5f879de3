import Foundation

/// Three kinds of twelve pictures: tilted, blurred and noisy. The tilt is 20 to 53 degrees
/// backwards. The blur is up to half a module. The noise is up to 0.6 of the contrast.
extension HardPictureTests {
    static let photographs: [Kind] = [
        Kind(name: "in perspective", floor: 10, count: 12) { code, step, generator in
            var photo = Photograph(width: 480, height: 480, light: 200)
            photo.draw(
                code, module: 5, degrees: Double(step) * 30, tilt: 20 + 3 * Double(step), dark: 40,
                light: 200)
            photo.addNoise(4, using: &generator)
            return try photo.jpeg(quality: 80)
        },
        Kind(name: "out of focus", floor: 10, count: 12) { code, step, generator in
            var photo = Photograph(width: 420, height: 420, light: 210)
            photo.draw(code, module: 5, degrees: Double(step) * 4, dark: 40, light: 210)
            photo.blur(radius: 1, passes: 1 + step * 3 / 4)
            photo.addNoise(3, using: &generator)
            return try photo.jpeg(quality: 80)
        },
        Kind(name: "in poor light", floor: 10, count: 12) { code, step, generator in
            var photo = Photograph(width: 380, height: 380, light: 170)
            photo.draw(code, module: 5, degrees: Double(step) * 5, dark: 60, light: 170)
            photo.addNoise(24 + 4 * Double(step), using: &generator)
            return try photo.jpeg(quality: 80)
        },
    ]
}
