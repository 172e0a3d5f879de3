import Testing

@testable import Domain

@Suite struct NetworkAddressTests {
    @Test func anIPv4AddressCountsAlone() {
        #expect(NetworkAddress("192.0.2.1").key == "192.0.2.1")
        #expect(NetworkAddress("192.0.2.1").network == nil)
        #expect(NetworkAddress("192.0.2.2").key != NetworkAddress("192.0.2.1").key)
    }

    @Test func addressesOfASlash64CountAsOne() {
        let first = NetworkAddress("2001:db8:1:2::1")
        #expect(NetworkAddress("2001:db8:1:2:8000::1") == first)
        #expect(NetworkAddress("2001:db8:1:2:ffff:ffff:ffff:ffff") == first)
        #expect(NetworkAddress("2001:db8:1:3::1").key != first.key)
    }

    @Test func addressesOfASlash48ShareANetwork() {
        let first = NetworkAddress("2001:db8:1:2::1")
        #expect(NetworkAddress("2001:db8:1:8000::1").network == first.network)
        #expect(NetworkAddress("2001:db8:1:ffff::1").network == first.network)
        #expect(NetworkAddress("2001:db8:2:2::1").network != first.network)
        #expect(NetworkAddress("2001:db8:0:2::1").network != first.network)
    }

    @Test(arguments: ["::ffff:192.0.2.1", "::FFFF:c000:201", "[::ffff:192.0.2.1]:443"])
    func mappedAddressCountsAsIPv4(text: String) {
        #expect(NetworkAddress(text) == NetworkAddress("192.0.2.1"))
    }

    @Test func addressesNextToTheMappedOnesAreIPv6() {
        #expect(NetworkAddress("::fffe:192.0.2.1").network != nil)
        #expect(NetworkAddress("::192.0.2.1").network != nil)
    }

    @Test(
        arguments: [
            ("2001:DB8:1:2::1", "2001:db8:1:2::1"), ("[2001:db8:1:2::1]", "2001:db8:1:2::1"),
            ("[2001:db8:1:2::1]:8080", "2001:db8:1:2::1"), ("fe80::1%eth0", "fe80::1"),
            ("192.0.2.1:8080", "192.0.2.1"), (" 192.0.2.1 ", "192.0.2.1"),
        ])
    func theSameAddressIsTheSameHoweverItIsWritten(one: String, other: String) {
        #expect(NetworkAddress(one) == NetworkAddress(other))
    }

    @Test(arguments: [
        "", "unknown", "192.0.2", "192.0.2.256", "2001:db8", "2001:db8::1::2", "::1]:80",
    ])
    func invalidAddressCountsAsItself(text: String) {
        #expect(NetworkAddress(text).key == text)
        #expect(NetworkAddress(text).network == nil)
    }

    @Test(
        arguments: [
            ("192.0.2.1", "192.0.2.1"), (" 192.0.2.1:80", "192.0.2.1"),
            ("[2001:db8::1]:80", "2001:db8::1"), ("fe80::1%eth0", "fe80::1"),
            ("192.0.2.256", nil), ("unknown", nil), ("", nil), ("192.0.2.1 x", nil),
        ] as [(String, String?)])
    func bareAddressIsAnAddressOnly(text: String, bare: String?) {
        #expect(NetworkAddress.bare(text) == bare)
    }
}
