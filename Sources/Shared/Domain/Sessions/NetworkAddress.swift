import Foundation

/// An address as limits count it (product.md, "Sign-in"): one IPv4 address, or one IPv6 /64. The
/// owner of one address in a /64 has all of them.
public struct NetworkAddress: Equatable, Sendable {
    /// `192.0.2.1`, or the /64 as 16 hexadecimal digits.
    public let key: String
    /// The /48 that providers assign to one customer, as 12 hexadecimal digits; nil for IPv4.
    public let network: String?

    /// Parses an address. Ignores a port, brackets and a zone. An IPv4-mapped address counts as
    /// IPv4. Text that isn't an address is its own key.
    public init(_ text: String) {
        guard let bytes = Self.bytes(of: text) else {
            key = text
            network = nil
            return
        }
        if bytes.count == 4 {
            key = bytes.map(String.init).joined(separator: ".")
            network = nil
        } else {
            key = Self.digits(bytes.prefix(8))
            network = Self.digits(bytes.prefix(6))
        }
    }

    /// Returns the 4 or 16 bytes of an address, parsed as `init` parses it; nil for other text.
    public static func bytes(of text: String) -> [UInt8]? {
        // Most addresses are of this form, and each request has one.
        if let bytes = Self.bytes(text, AF_INET, 4) { return bytes }
        let bare = withoutPort(text)
        return Self.bytes(bare, AF_INET, 4)
            ?? Self.bytes(bare, AF_INET6, 16).map { withoutMapping($0) }
    }

    /// Returns the 4 bytes of an IPv4-mapped address, and other addresses as they are.
    static func withoutMapping(_ bytes: [UInt8]) -> [UInt8] {
        // RFC 4291, section 2.5.5.2: ::ffff:0:0/96.
        let prefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return bytes.count == 16 && bytes.starts(with: prefix) ? Array(bytes.suffix(4)) : bytes
    }

    /// Returns an IPv4 or IPv6 address without brackets, port and `%zone`; nil for other text.
    public static func bare(_ text: String) -> String? {
        bytes(of: text) == nil ? nil : withoutPort(text)
    }

    private static func withoutPort(_ text: String) -> String {
        var rest = text.trimmingCharacters(in: .whitespaces)[...]
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            rest = rest[rest.index(after: rest.startIndex)..<end]
        } else if rest.contains("."), rest.count(where: { $0 == ":" }) == 1 {
            rest = rest.prefix { $0 != ":" }
        }
        return String(rest.prefix { $0 != "%" })
    }

    private static func bytes(_ text: String, _ family: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    private static func digits(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
