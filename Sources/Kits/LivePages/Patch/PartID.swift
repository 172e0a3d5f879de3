/// The name of a part of a page: a hash of the keys on the path to the part. A part at the same
/// position has the same name in each rendering, even after a restart of the server.
struct PartID: Sendable {
    private let value: UInt64

    /// The outermost part.
    static let root = PartID(value: 0xCBF2_9CE4_8422_2325)

    private init(value: UInt64) { self.value = value }

    /// Returns a child's name: the parent's FNV-1a hash, continued with the key.
    func child(_ key: String) -> PartID {
        var hash = (value ^ 0x1F) &* 0x0000_0100_0000_01B3
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return PartID(value: hash)
    }

    /// The 48 bits that appear in the page.
    private var written: UInt64 { (value ^ (value >> 48)) & 0xFFFF_FFFF_FFFF }

    var text: String {
        String(unsafeUninitializedCapacity: 8) { buffer in
            for index in 0..<8 {
                buffer[index] = Self.letters[Int((written >> (UInt64(index) * 6)) & 63)]
            }
            return 8
        }
    }

    /// Parses a name of eight letters, for a lookup.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count == 8 else { return nil }
        var written: UInt64 = 0
        for (index, letter) in text.utf8.enumerated() {
            guard let bits = Self.letters.firstIndex(of: letter) else { return nil }
            written |= UInt64(bits) << (UInt64(index) * 6)
        }
        value = written
    }

    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}

/// Compares only the bits that appear in the page.
extension PartID: Hashable {
    static func == (lhs: PartID, rhs: PartID) -> Bool { lhs.written == rhs.written }
    func hash(into hasher: inout Hasher) { hasher.combine(written) }
}
