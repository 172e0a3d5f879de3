import Domain
import Testing

@Suite struct AddressRangeTests {
    private func contains(_ text: String, _ address: String) throws -> Bool {
        let range = try #require(AddressRange(text))
        return range.contains(try #require(NetworkAddress.bytes(of: address)))
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.0.0.0"), ("10.0.0.0/8", "10.255.255.255"),
        ("10.1.2.3/8", "10.9.9.9"), ("192.0.2.128/25", "192.0.2.128"),
        ("192.0.2.1", "192.0.2.1"), ("192.0.2.1/32", "192.0.2.1"), ("0.0.0.0/0", "8.8.8.8"),
        ("10.0.0.0/8", "::ffff:10.1.1.1"), ("2001:db8::/33", "2001:db8:7fff:ffff::1"),
        ("::1", "::1"), ("::/0", "2001:db8::1"),
    ])
    func addressInRange(range: String, address: String) throws {
        #expect(try contains(range, address))
    }

    @Test(arguments: [
        ("10.0.0.0/8", "9.255.255.255"), ("10.0.0.0/8", "11.0.0.0"),
        ("192.0.2.128/25", "192.0.2.127"), ("192.0.2.1", "192.0.2.2"),
        ("0.0.0.0/0", "::1"), ("::/0", "10.0.0.1"), ("2001:db8::/33", "2001:db8:8000::"),
    ])
    func addressOutsideRange(range: String, address: String) throws {
        #expect(try !contains(range, address))
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/8", "host",
        "::/129", "10.0.0.0/x",
    ])
    func otherTextIsNoRange(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test func emptyAddressIsInNoRange() throws {
        #expect(try #require(AddressRange("0.0.0.0/0")).contains([]) == false)
    }
}
