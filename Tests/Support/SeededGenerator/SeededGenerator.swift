/// SplitMix64. The same seed gives the same numbers on every machine, so that a failure can be
/// reproduced.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }
    public init(seed: Int) { state = UInt64(bitPattern: Int64(seed)) }

    public mutating func next() -> UInt64 {
        state &+= Self.step
        return Self.mixed(state)
    }

    /// Returns true with this probability.
    public mutating func isBelow(_ share: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < share
    }

    /// Returns true once in `count` calls, on average.
    public mutating func once(in count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    /// Returns a number that depends only on the parts. If each step has its own number, removing
    /// one step doesn't change the others.
    public static func number(_ parts: UInt64...) -> UInt64 {
        parts.reduce(0x5EED) { mixed($0 &+ step &* ($1 &+ 1)) }
    }

    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
