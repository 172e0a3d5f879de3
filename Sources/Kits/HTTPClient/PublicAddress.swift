/// Distinguishes public internet addresses from all others (IANA's special-purpose registries for
/// IPv4 and IPv6).
public enum PublicAddress {
    /// - Parameter bytes: 4 or 16 bytes in network order. Any other number of bytes is not public.
    public static func isPublic(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: isPublicIPv4(bytes)
        case 16: isPublicIPv6(bytes)
        default: false
        }
    }

    private static func isPublicIPv4(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _): false
        case (100, 64...127, _): false  // shared address space
        case (169, 254, _): false  // link-local, and the metadata services of clouds
        case (172, 16...31, _): false
        case (192, 0, 0), (192, 0, 2), (192, 168, _), (192, 88, 99): false
        case (198, 18...19, _), (198, 51, 100), (203, 0, 113): false
        case (224..., _, _): false  // multicast, reserved, broadcast
        default: true
        }
    }

    private static func isPublicIPv6(_ bytes: [UInt8]) -> Bool {
        let embeddedIPv4 = Array(bytes[12...])
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return isPublicIPv4(embeddedIPv4)
        }
        // NAT64 forwards to the embedded IPv4 address.
        if bytes[..<12] == [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0] {
            return isPublicIPv4(embeddedIPv4)
        }
        // 6to4 forwards to the IPv4 address after its prefix.
        if bytes[0] == 0x20, bytes[1] == 0x02 { return isPublicIPv4(Array(bytes[2..<6])) }
        // Of the remaining addresses, only 2000::/3 is assigned for global use. It contains ranges
        // that aren't public: Teredo, ORCHID and documentation.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        if bytes[0] == 0x20, bytes[1] == 0x01 {
            if bytes[2] < 0x02 { return false }
            if bytes[2] == 0x0D, bytes[3] == 0xB8 { return false }
        }
        return !(bytes[0] == 0x3F && bytes[1] == 0xFF && bytes[2] & 0xF0 == 0)
    }
}
