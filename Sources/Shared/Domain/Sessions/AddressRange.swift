/// A network of IPv4 or IPv6 addresses, such as `10.0.0.0/8`, or one address.
public struct AddressRange: Equatable, Sendable {
    private let start: [UInt8]
    /// The number of bits that all addresses have in common.
    private let bits: Int

    /// Returns nil for other text, and for more bits than the address has.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, let bytes = NetworkAddress.bytes(of: parts[0]) else { return nil }
        let most = bytes.count * 8
        guard parts.count == 2 else {
            self.start = bytes
            self.bits = most
            return
        }
        guard let bits = Int(parts[1]), (0...most).contains(bits) else { return nil }
        self.start = Self.masked(bytes, bits)
        self.bits = bits
    }

    /// - Parameter address: 4 or 16 bytes in network order. An IPv4-mapped address counts as IPv4.
    public func contains(_ address: [UInt8]) -> Bool {
        let address = NetworkAddress.withoutMapping(address)
        return address.count == start.count && Self.masked(address, bits) == start
    }

    private static func masked(_ bytes: [UInt8], _ bits: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(8, max(0, bits - index * 8))
            return kept == 0 ? 0 : byte & (0xFF << UInt8(8 - kept))
        }
    }
}
