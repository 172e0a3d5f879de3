import HTTPTypes
import Testing

@testable import LivePages
@testable import Web

@Suite struct HeaderTests {
    @Test func contentSecurityPolicyForbidsInlineCode() async throws {
        let site = try TestSite()
        for path in [
            "/", "/sheet", "/web/shell", Assets.library.path("icon.svg"), "/sw.js",
        ] {
            let answer = try await site.send("GET", path)
            let policy = try #require(answer.headers[.contentSecurityPolicy])
            #expect(
                policy.hasPrefix(
                    """
                    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: \
                    blob:; connect-src 'self'
                    """
                ))
            #expect(
                policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'")
                    && policy.contains("form-action 'self'"))
            #expect(!policy.contains("unsafe"))
            #expect(answer.headers[.referrerPolicy] == "no-referrer")
            #expect(answer.headers[.permissionsPolicy]?.contains("camera=(self)") == true)
        }
        let page = try await site.send("GET", "/").text
        #expect(
            page.matches(of: #/<script/#).count == 1 && !page.contains("style=")
                && page.firstMatch(of: #/ on[a-z]+=/#) == nil)
    }

    /// Browsers ignore these headers on assets. On a slow connection, each header takes time.
    @Test func assetsOmitDocumentHeaders() async throws {
        let site = try TestSite()
        for path in [
            Assets.library.path("app.js"), Assets.library.path("styles.css"),
            Assets.library.path("icon-192.png"), "/manifest.webmanifest",
        ] {
            let answer = try await site.send("GET", path)
            func header(_ name: String) throws -> String? {
                answer.headers[try #require(HTTPField.Name(name))]
            }
            #expect(try header("Cross-Origin-Resource-Policy") == "same-origin")
            for name in [
                "Content-Security-Policy", "Referrer-Policy", "Permissions-Policy",
                "Cross-Origin-Opener-Policy",
            ] { #expect(try header(name) == nil, "\(path): \(name)") }
        }
    }
}
