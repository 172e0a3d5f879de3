/// SplitMix64: the same seed gives the same numbers on every machine.
public struct Chance: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    public mutating func isBelow(_ share: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < share
    }

    /// A number that depends on its parts alone: removing a step leaves the others' luck as it is.
    public static func number(_ parts: UInt64...) -> UInt64 {
        parts.reduce(0x5EED) { mixed($0 &+ 0x9E37_79B9_7F4A_7C15 &* ($1 &+ 1)) }
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// FNV-1a over everything that happens. Two runs of one seed must agree on it.
public struct Trace: Sendable {
    public private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    public init() {}

    public mutating func add(_ text: String) {
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ 0xFF) &* 0x100_0000_01B3
    }

    mutating func add(_ number: Int64) {
        hash = (hash ^ UInt64(bitPattern: number)) &* 0x100_0000_01B3
    }
}
