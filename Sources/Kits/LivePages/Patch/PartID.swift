/// The name of a part of a page: where it is, by the keys that lead there. The same place has the
/// same name in every rendering and after a restart of the server.
public struct PartID: Hashable, Sendable {
    let value: UInt64

    /// The part that everything is in.
    static let root = PartID(value: 0xCBF2_9CE4_8422_2325)

    private init(value: UInt64) { self.value = value }

    /// FNV-1a, begun where the parent's name ended.
    func child(_ key: String) -> PartID {
        var hash = (value ^ 0x1F) &* 0x0000_0100_0000_01B3
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return PartID(value: hash)
    }

    /// Eight letters of 48 of the bits.
    var text: String {
        let folded = value ^ (value >> 48)
        return String(unsafeUninitializedCapacity: 8) { buffer in
            for index in 0..<8 {
                buffer[index] = Self.letters[Int((folded >> (UInt64(index) * 6)) & 63)]
            }
            return 8
        }
    }

    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
