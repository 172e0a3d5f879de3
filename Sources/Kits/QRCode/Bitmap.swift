/// Decoded pixels with 8 bits per sample, in rows without padding.
struct Bitmap: Equatable {
    var width: Int
    var height: Int
    /// The number of samples per pixel: 1 for grey, 2 for grey and alpha, 3 for RGB, 4 for RGBA.
    /// Alpha isn't premultiplied.
    var channels: Int
    var samples: [UInt8]

    /// Rotates and mirrors the picture by an EXIF orientation (1 to 8). Ignores other values.
    func oriented(_ orientation: Int) -> Bitmap {
        guard (2...8).contains(orientation) else { return self }
        let swapsSides = orientation >= 5
        let newWidth = swapsSides ? height : width
        let newHeight = swapsSides ? width : height
        let turned = [UInt8](unsafeUninitializedCapacity: samples.count) { target, count in
            samples.withUnsafeBufferPointer { source in
                var at = 0
                for y in 0..<newHeight {
                    for x in 0..<newWidth {
                        let from = index(of: orientation, x: x, y: y) * channels
                        for channel in 0..<channels {
                            target[at + channel] = source[from + channel]
                        }
                        at += channels
                    }
                }
            }
            count = samples.count
        }
        return Bitmap(width: newWidth, height: newHeight, channels: channels, samples: turned)
    }

    /// Returns the index of the source pixel for the pixel (`x`, `y`) of the rotated picture.
    private func index(of orientation: Int, x: Int, y: Int) -> Int {
        switch orientation {
        case 2: y * width + (width - 1 - x)
        case 3: (height - 1 - y) * width + (width - 1 - x)
        case 4: (height - 1 - y) * width + x
        case 5: x * width + y
        case 6: (height - 1 - x) * width + y
        case 7: (height - 1 - x) * width + (width - 1 - y)
        case 8: x * width + (width - 1 - y)
        default: y * width + x
        }
    }

    /// Halves the width and the height, to at least one pixel. Each new pixel is the mean of four
    /// pixels.
    func halved() -> Bitmap {
        let newWidth = max(width / 2, 1)
        let newHeight = max(height / 2, 1)
        let right = width > 1 ? channels : 0
        let below = height > 1 ? width * channels : 0
        let smaller = [UInt8](unsafeUninitializedCapacity: newWidth * newHeight * channels) {
            target, count in
            samples.withUnsafeBufferPointer { source in
                var at = 0
                for y in 0..<newHeight {
                    for x in 0..<newWidth * channels {
                        let from =
                            2 * y * width * channels + (x / channels) * 2 * channels + x % channels
                        let sum =
                            Int(source[from]) + Int(source[from + right])
                            + Int(source[from + below])
                            + Int(source[from + right + below])
                        target[at] = UInt8(truncatingIfNeeded: (sum + 2) / 4)
                        at += 1
                    }
                }
            }
            count = newWidth * newHeight * channels
        }
        return Bitmap(width: newWidth, height: newHeight, channels: channels, samples: smaller)
    }
}
