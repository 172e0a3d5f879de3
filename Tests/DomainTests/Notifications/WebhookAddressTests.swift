import Foundation
import Testing

@testable import Domain

@Suite struct WebhookAddressTests {
    @Test(
        arguments: [
            "https://example.org", "https://example.org/lifesignal?key=1",
            "HTTPS://example.org:8443/a", "https://[2001:db8::1]/hook",
            "https://xn--bcher-kva.example/",
        ])
    func anHTTPSAddressIsKeptAsItIs(text: String) throws {
        #expect(try PushEndpoint.webhookURL(text, allowsPlainHTTP: false).absoluteString == text)
    }

    @Test func plainHTTPIsForDevelopmentOnly() throws {
        let text = "http://localhost:9000/hook"
        #expect(
            refusal { try PushEndpoint.webhookURL(text, allowsPlainHTTP: false) }?.field == "url")
        #expect(try PushEndpoint.webhookURL(text, allowsPlainHTTP: true).absoluteString == text)
    }

    @Test(
        arguments: [
            "", "example.org", "//example.org", "https:", "https://", "https:///hook",
            "https:example.org", "ftp://example.org/",
            "file:///etc/x", "javascript:alert(1)", "https://ada:secret@example.org/",
            "https://ada@example.org/", "https://@example.org/",
            "https://example.org/a b", " https://example.org/", "https://example.org/\n",
            "https://example.org/\u{E9}",
            "https://ex\0ample.org/",
        ])
    func anythingElseIsRefused(text: String) {
        #expect(
            refusal { try PushEndpoint.webhookURL(text, allowsPlainHTTP: true) }?.field == "url")
    }

    @Test func anAddressHasAtMost2000Characters() throws {
        let start = "https://example.org/"
        let longest = start + String(repeating: "a", count: 2_000 - start.count)
        #expect(
            try PushEndpoint.webhookURL(longest, allowsPlainHTTP: false).absoluteString == longest)
        #expect(
            refusal { try PushEndpoint.webhookURL(longest + "a", allowsPlainHTTP: false) }?.field
                == "url"
        )
    }
}
