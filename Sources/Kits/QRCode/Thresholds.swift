/// Converts grey to black (0) and white (255).
extension GrayPicture {
    /// Applies one threshold to the whole picture: the value that splits the histogram best (Otsu's
    /// method).
    func blackAndWhiteByHistogram() -> GrayPicture {
        var histogram = [Int](repeating: 0, count: 256)
        pixels.withUnsafeBufferPointer { pixels in
            histogram.withUnsafeMutableBufferPointer { histogram in
                for pixel in pixels { histogram[Int(pixel)] &+= 1 }
            }
        }
        let threshold = Self.bestThreshold(of: histogram)
        return mapped(width: width, height: height) { from, to in
            for at in 0..<width * height { to[at] = Int(from[at]) <= threshold ? 0 : 255 }
        }
    }

    private static func bestThreshold(of histogram: [Int]) -> Int {
        let count = histogram.reduce(0, +)
        let total = histogram.indices.reduce(0) { $0 + $1 * histogram[$1] }
        var (darkCount, darkTotal, best, bestSpread) = (0, 0, 127, 0.0)
        for value in histogram.indices {
            darkCount += histogram[value]
            darkTotal += value * histogram[value]
            guard darkCount > 0, darkCount < count else { continue }
            let difference =
                Double(darkTotal) / Double(darkCount) - Double(total - darkTotal)
                / Double(count - darkCount)
            let spread = Double(darkCount) * Double(count - darkCount) * difference * difference
            if spread > bestSpread { (best, bestSpread) = (value, spread) }
        }
        return best
    }

    /// Applies a threshold to each block, for uneven light: the mean of the surrounding blocks.
    ///
    /// - Parameters:
    ///   - block: The side of a block, in pixels. The mean is taken over five by five blocks.
    ///   - leastContrast: The minimum range of values in a block. A block with a smaller range
    ///     counts as a plain surface.
    func blackAndWhiteByNeighbourhood(block: Int, leastContrast: Int = 24) -> GrayPicture {
        let columns = (width + block - 1) / block
        let rows = (height + block - 1) / block
        let levels = blockLevels(
            block: block, columns: columns, rows: rows, leastContrast: leastContrast)
        return mapped(width: width, height: height) { from, to in
            for row in 0..<rows {
                let lines = row * block..<min((row + 1) * block, height)
                for column in 0..<columns {
                    let threshold = Self.meanAround(
                        row: row, column: column, of: levels, rows: rows, columns: columns)
                    let right = min((column + 1) * block, width)
                    for y in lines {
                        for at in y * width + column * block..<y * width + right {
                            to[at] = Int(from[at]) <= threshold ? 0 : 255
                        }
                    }
                }
            }
        }
    }

    private static func meanAround(row: Int, column: Int, of levels: [Int], rows: Int, columns: Int)
        -> Int
    {
        // Near an edge of the picture, the five by five blocks move inwards.
        let top = min(max(row - 2, 0), max(rows - 5, 0))
        let left = min(max(column - 2, 0), max(columns - 5, 0))
        var (sum, count) = (0, 0)
        for y in top..<min(top + 5, rows) {
            for x in left..<min(left + 5, columns) {
                sum += levels[y * columns + x]
                count += 1
            }
        }
        return sum / max(count, 1)
    }

    /// Returns the mean of each block. For a plain block, returns a level that makes the block
    /// light, or dark if its neighbours are lighter.
    private func blockLevels(block: Int, columns: Int, rows: Int, leastContrast: Int) -> [Int] {
        var levels = [Int](repeating: 0, count: columns * rows)
        pixels.withUnsafeBufferPointer { pixels in
            for row in 0..<rows {
                for column in 0..<columns {
                    var (sum, least, most) = (0, 255, 0)
                    let bottom = min((row + 1) * block, height)
                    let right = min((column + 1) * block, width)
                    for y in row * block..<bottom {
                        for at in y * width + column * block..<y * width + right {
                            let value = Int(pixels[at])
                            sum &+= value
                            least = min(least, value)
                            most = max(most, value)
                        }
                    }
                    var level = sum / ((bottom - row * block) * (right - column * block))
                    if most - least <= leastContrast {
                        level = least / 2
                        if row > 0, column > 0 {
                            let at = row * columns + column
                            let around =
                                (levels[at - columns] + 2 * levels[at - 1]
                                    + levels[at - columns - 1]) / 4
                            if least < around { level = around }
                        }
                    }
                    levels[row * columns + column] = level
                }
            }
        }
        return levels
    }
}
