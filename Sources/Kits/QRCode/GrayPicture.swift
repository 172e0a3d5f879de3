/// A picture of grey pixels, one byte each, in rows without padding. The code search uses such
/// pictures.
struct GrayPicture {
    let width: Int
    let height: Int
    let pixels: [UInt8]

    /// Returns a picture whose pixels are computed from this picture.
    ///
    /// - Parameter fill: Receives this picture's pixels and the new picture's uninitialised pixels.
    ///   It must set all new pixels.
    func mapped(
        width: Int, height: Int, _ fill: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Void
    ) -> GrayPicture {
        let filled = [UInt8](unsafeUninitializedCapacity: width * height) { target, count in
            pixels.withUnsafeBufferPointer { source in
                guard let from = source.baseAddress, let to = target.baseAddress else { return }
                fill(from, to)
                count = width * height
            }
        }
        return GrayPicture(width: width, height: height, pixels: filled)
    }

    /// Shrinks the picture by an integer factor. Each new pixel is the mean of a square.
    func shrunk(by factor: Int) -> GrayPicture {
        guard factor > 1, width >= factor, height >= factor else { return self }
        let newWidth = width / factor
        let newHeight = height / factor
        let area = factor * factor
        return mapped(width: newWidth, height: newHeight) { from, to in
            var sums = [Int](repeating: 0, count: newWidth)
            sums.withUnsafeMutableBufferPointer { sums in
                for y in 0..<newHeight {
                    sums.update(repeating: area / 2)
                    for line in y * factor..<(y + 1) * factor {
                        var at = line * width
                        for x in 0..<newWidth {
                            for _ in 0..<factor {
                                sums[x] &+= Int(from[at])
                                at &+= 1
                            }
                        }
                    }
                    for x in 0..<newWidth {
                        to[y * newWidth + x] = UInt8(truncatingIfNeeded: sums[x] / area)
                    }
                }
            }
        }
    }

    func doubled() -> GrayPicture {
        mapped(width: 2 * width, height: 2 * height) { from, to in
            for y in 0..<2 * height {
                let near = (y >> 1) * width
                let far = min(max((y >> 1) + (y & 1 == 0 ? -1 : 1), 0), height - 1) * width
                for x in 0..<2 * width {
                    let column = x >> 1
                    let beside = min(max(column + (x & 1 == 0 ? -1 : 1), 0), width - 1)
                    let sum =
                        9 * Int(from[near + column]) + 3 * Int(from[near + beside]) + 3
                        * Int(from[far + column])
                        + Int(from[far + beside])
                    to[y * 2 * width + x] = UInt8(truncatingIfNeeded: (sum + 8) >> 4)
                }
            }
        }
    }

    func inverted() -> GrayPicture {
        mapped(width: width, height: height) { from, to in
            for at in 0..<width * height { to[at] = ~from[at] }
        }
    }

    /// Blurs with a 3 × 3 kernel (1 2 1). Removes noise, and stripes of one or two pixels.
    func blurred() -> GrayPicture {
        guard width >= 3, height >= 3 else { return self }
        return mapped(width: width, height: height) { from, to in
            for y in 0..<height {
                let above = from + max(y - 1, 0) * width
                let here = from + y * width
                let below = from + min(y + 1, height - 1) * width
                // Three column sums, shifted along the row.
                var left = Int(above[0]) + 2 * Int(here[0]) + Int(below[0])
                var middle = left
                for x in 0..<width {
                    let next = min(x + 1, width - 1)
                    let right = Int(above[next]) + 2 * Int(here[next]) + Int(below[next])
                    to[y * width + x] = UInt8(
                        truncatingIfNeeded: (left + 2 * middle + right + 8) >> 4)
                    left = middle
                    middle = right
                }
            }
        }
    }

    func blurred(passes: Int) -> GrayPicture {
        (0..<passes).reduce(self) { picture, _ in picture.blurred() }
    }

    /// Sharpens edges: adds three times the difference to a copy blurred `passes` times.
    func sharpened(passes: Int) -> GrayPicture {
        let soft = blurred(passes: passes)
        return mapped(width: width, height: height) { from, to in
            soft.pixels.withUnsafeBufferPointer { soft in
                for at in 0..<width * height {
                    let value = 4 * Int(from[at]) - 3 * Int(soft[at])
                    to[at] = UInt8(truncatingIfNeeded: min(max(value, 0), 255))
                }
            }
        }
    }
}
