import SeededGenerator

extension SeededGenerator {
    /// About normal, mean 0, standard deviation 1: the sum of eight bytes.
    mutating func nextNormal() -> Double {
        let bits = next()
        var sum = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            sum &+= Int(truncatingIfNeeded: (bits >> shift) & 0xFF)
        }
        return (Double(sum) - 1020) / 209
    }
}
