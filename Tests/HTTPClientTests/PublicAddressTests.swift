import Foundation
import Testing

@testable import HTTPClient

/// Tests the last address on each side of every boundary of IANA's special address ranges.
@Suite struct PublicAddressTests {
    private func isPublic(_ text: String) throws -> Bool {
        PublicAddress.isPublic(try #require(Self.bytes(text)))
    }

    @Test(arguments: [
        ("0.0.0.0", "0.255.255.255"), ("10.0.0.0", "10.255.255.255"),
        ("100.64.0.0", "100.127.255.255"), ("127.0.0.0", "127.255.255.255"),
        ("169.254.0.0", "169.254.255.255"), ("172.16.0.0", "172.31.255.255"),
        ("192.0.0.0", "192.0.0.255"), ("192.0.2.0", "192.0.2.255"),
        ("192.88.99.0", "192.88.99.255"), ("192.168.0.0", "192.168.255.255"),
        ("198.18.0.0", "198.19.255.255"), ("198.51.100.0", "198.51.100.255"),
        ("203.0.113.0", "203.0.113.255"), ("224.0.0.0", "255.255.255.255"),
    ])
    func aSpecialRangeOfIPv4(first: String, last: String) throws {
        #expect(try !isPublic(first))
        #expect(try !isPublic(last))
        if let before = Self.neighbour(of: first, -1) {
            #expect(PublicAddress.isPublic(before), "before \(first)")
        }
        if let after = Self.neighbour(of: last, 1) {
            #expect(PublicAddress.isPublic(after), "after \(last)")
        }
    }

    @Test func ownNetworksMayUsePlainHTTP() {
        let own: [UInt8] = [10, 0, 0, 1]
        let other: [UInt8] = [10, 0, 0, 2]
        let world: [UInt8] = [8, 8, 8, 8]
        let allowed = AllowedAddresses.publicAnd { $0 == own }
        for isTLS in [true, false] {
            #expect(allowed.include(own, isTLS: isTLS))
            #expect(!allowed.include(other, isTLS: isTLS))
            #expect(allowed.include(world, isTLS: isTLS) == isTLS)
            #expect(AllowedAddresses.all.include(own, isTLS: isTLS))
            #expect(!AllowedAddresses.publicOnly.include(own, isTLS: isTLS))
            #expect(AllowedAddresses.publicOnly.include(world, isTLS: isTLS))
        }
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "93.184.216.34", "192.0.1.1", "223.255.255.255", "100.63.255.255",
        "100.128.0.0",
    ])
    func anAddressOfTheOpenInternet(text: String) throws {
        #expect(try isPublic(text))
        #expect(try isPublic("::ffff:\(text)"), "by its IPv4-mapped form")
        #expect(try isPublic("64:ff9b::\(text)"), "behind NAT64")
    }

    @Test(arguments: [
        "127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "0.0.0.0", "255.255.255.255",
    ])
    func aPrivateAddressInDisguise(text: String) throws {
        #expect(try !isPublic("::ffff:\(text)"))
        #expect(try !isPublic("64:ff9b::\(text)"))
        #expect(try !isPublic("::\(text)"), "the old IPv4-compatible form")
        let bytes = try #require(Self.bytes(text))
        #expect(
            !PublicAddress.isPublic([0x20, 0x02] + bytes + [UInt8](repeating: 1, count: 10)), "6to4"
        )
    }

    @Test func sixToFourLeadsToTheAddressBehindIt() {
        #expect(
            PublicAddress.isPublic([0x20, 0x02, 8, 8, 8, 8] + [UInt8](repeating: 0, count: 10)))
    }

    @Test(arguments: [
        ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ])
    func aSpecialRangeOfIPv6(first: String, last: String) throws {
        #expect(try !isPublic(first))
        #expect(try !isPublic(last))
        if first != "4000::", let before = Self.neighbour(of: first, -1), before[0] & 0xE0 == 0x20 {
            #expect(PublicAddress.isPublic(before))
        }
        if let after = Self.neighbour(of: last, 1), after[0] & 0xE0 == 0x20,
            !after.starts(with: [0x20, 0x01, 0x00])
        {
            #expect(PublicAddress.isPublic(after))
        }
    }

    @Test(arguments: [
        "::1", "::", "fc00::1", "fdff::1", "fe80::1", "fec0::1", "ff02::1", "100::1",
        "64:ff9b:1::8.8.8.8", "2001:0:808:808::1", "2001:20::1", "5f00::1",
    ])
    func anAddressThatNeverLeavesItsNetwork(text: String) throws {
        #expect(try !isPublic(text))
    }

    @Test(arguments: [
        "2000::1", "2606:4700:4700::1111", "2a00:1450:4001::1", "2001:200::1",
        "2001:4860:4860::8888", "2001:db7:ffff::1", "2001:db9::1", "3ffe::1", "2003::1",
    ])
    func anIPv6AddressOfTheOpenInternet(text: String) throws {
        #expect(try isPublic(text))
    }

    @Test(arguments: [0, 1, 3, 5, 15, 17, 32]) func anythingThatIsNoAddress(count: Int) {
        #expect(!PublicAddress.isPublic([UInt8](repeating: 8, count: count)))
    }

    /// Returns the next address in the direction of `step`; nil beyond the first or last address.
    private static func neighbour(of text: String, _ step: Int) -> [UInt8]? {
        guard var bytes = bytes(text) else { return nil }
        for index in bytes.indices.reversed() {
            let value = Int(bytes[index]) + step
            bytes[index] = UInt8(truncatingIfNeeded: value)
            if (0...255).contains(value) { return bytes }
        }
        return nil
    }

    /// Returns the address's bytes as the system's own parser reads them.
    static func bytes(_ text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
        var six = in6_addr()
        return inet_pton(AF_INET6, text, &six) == 1 ? withUnsafeBytes(of: &six) { Array($0) } : nil
    }
}
