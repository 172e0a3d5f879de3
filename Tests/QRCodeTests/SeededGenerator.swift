/// SplitMix64: the same pictures and the same damage on every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

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
