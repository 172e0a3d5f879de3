import Domain
import Testing

@testable import LivePages
@testable import Web

@Suite struct BrowserNameTests {
    @Test(arguments: [
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Firefox on Linux"
        ),
        (
            "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0",
            "Firefox on Android"
        ),
        (
            """
            Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, \
            like Gecko) FxiOS/140.0 Mobile/15E148 Safari/605.1.15
            """,
            "Firefox on iPhone"
        ),
        (
            """
            Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) \
            Chrome/137.0.0.0 Mobile Safari/537.36
            """,
            "Chrome on Android"
        ),
        (
            """
            Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) \
            Chrome/137.0.0.0 Safari/537.36
            """,
            "Chrome on ChromeOS"
        ),
        (
            """
            Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) \
            HeadlessChrome/137.0.0.0 Safari/537.36
            """,
            "Chrome on Linux"
        ),
        (
            """
            Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
            CriOS/137.0 Mobile/15E148 Safari/604.1
            """,
            "Chrome on iPad"
        ),
        (
            """
            Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, \
            like Gecko) Version/18.5 Mobile/15E148 Safari/604.1
            """,
            "Safari on iPhone"
        ),
        (
            """
            Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like \
            Gecko) Version/18.5 Safari/605.1.15
            """,
            "Safari on Mac"
        ),
        (
            """
            Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
            Chrome/137.0.0.0 Safari/537.36 Edg/137.0.0.0
            """,
            "Edge on Windows"
        ),
        (
            """
            Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
            Chrome/137.0.0.0 Safari/537.36 OPR/121.0.0.0
            """,
            "Opera on Windows"
        ),
        (
            """
            Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) \
            SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36
            """,
            "Samsung Internet on Android"
        ),
    ])
    func namesKnownBrowserAndSystem(userAgent: String, name: String) {
        #expect(BrowserName.of(userAgent: userAgent) == name)
    }

    @Test(
        arguments: [
            (nil, "Web browser"), ("", "Web browser"), ("curl/7.88.1", "Web browser"),
            ("<script>alert(1)</script>", "Web browser"),
            ("\u{0}\u{202E}", "Web browser"), ("Lynx/2.9 (Linux)", "Web browser on Linux"),
            ("Firefox/140.0", "Firefox"), ("firefox", "Web browser"),
            (String(repeating: "x", count: 100_000), "Web browser"),
            (String(repeating: "Chrome/1 Linux ", count: 5_000), "Chrome on Linux"),
            (String(repeating: " ", count: 1_000) + "Chrome/1 Linux", "Web browser"),
        ] as [(String?, String)])
    func omitsUnknownBrowserAndSystem(userAgent: String?, name: String) throws {
        #expect(BrowserName.of(userAgent: userAgent) == name)
        #expect(try SignInRules.deviceName(name) == name)
    }
}
