import Testing
import WebText

@Suite struct PercentEncodingTests {
    @Test func onlyUnreservedCharactersStay() {
        #expect(
            PercentEncoding.unreserved("a b&c=d+é%~-._*\n/?#!")
                == "a%20b%26c%3Dd%2B%C3%A9%25~-._%2A%0A%2F%3F%23%21")
        #expect(PercentEncoding.unreserved("") == "")
    }

    @Test func formIsPercentEncoded() {
        #expect(
            PercentEncoding.form([("Body", "a b&c=d+é%~-._*\n")])
                == "Body=a%20b%26c%3Dd%2B%C3%A9%25~-._%2A%0A")
        #expect(PercentEncoding.form([("A", "1"), ("B", "")]) == "A=1&B=")
    }
}
