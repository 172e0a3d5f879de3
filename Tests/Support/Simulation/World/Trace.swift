/// An FNV-1a hash of all events. Runs with equal seeds must have equal hashes.
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
