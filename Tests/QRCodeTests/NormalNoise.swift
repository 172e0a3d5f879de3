import SeededGenerator

extension SeededGenerator {
    /// Returns an approximately normal value with mean 0 and standard deviation 1: the scaled sum
    /// of eight bytes.
    mutating func nextNormal() -> Double {
        let bits = next()
        var sum = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            sum &+= Int(truncatingIfNeeded: (bits >> shift) & 0xFF)
        }
        return (Double(sum) - 1020) / 209
    }
}
