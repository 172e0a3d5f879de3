import Cryptography
import Foundation
import HTTPTypes
import Testing

@testable import LivePages

@Suite struct PageRouteTests {
    @Test(arguments: [
        ("https://counter.example", "__Host-counter", true),
        ("http://localhost:8080", "counter", false),
    ])
    func cookieIsRestrictedToServer(url: String, name: String, isSecure: Bool) async throws {
        let cookie = try #require(
            try await DiarySite(publicURL: url).send(.get, "/").headers[.setCookie])
        let parts = cookie.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(parts[0].hasPrefix("\(name)=") && parts[0].dropFirst(name.count + 1).count == 43)
        #expect(
            parts.contains("HttpOnly") && parts.contains("SameSite=Lax") && parts.contains("Path=/")
                && parts.contains("Max-Age=34560000"))
        #expect(parts.contains("Secure") == isSecure && !cookie.contains("Domain"))
    }

    /// Browsers refuse the prefix `__Host-` for any path but `/`.
    @Test func cookieBelowAPathHasThatPath() {
        let secret = RandomBytes.system.token()
        let cookie = SessionCookie(baseName: "counter", isSecure: true, base: "/app")
        #expect(cookie.header(secret).hasPrefix("__Secure-counter=\(secret.text); Path=/app; "))
        #expect(cookie.header(secret).hasSuffix("; Secure"))
        #expect(
            SessionCookie(baseName: "counter", isSecure: false, base: "/app").header(secret)
                .hasPrefix("counter=\(secret.text); Path=/app; "))
    }

    @Test func duplicateCookiesAreIgnored() throws {
        let (first, second) = (RandomBytes.system.token(), RandomBytes.system.token())
        func secret(_ text: String) -> Token? {
            SessionCookie(baseName: "counter", isSecure: false).secret(in: [.cookie: text])
        }
        #expect(secret("x=1; counter=\(first.text)") == first)
        #expect(secret("counter=\(first.text); counter=\(second.text)") == nil)
        #expect(secret("counter=\(first.text.dropLast())") == nil)
        #expect(secret("xcounter=\(first.text)") == nil)
        #expect(
            SessionCookie(baseName: "counter", isSecure: true).secret(in: [
                .cookie: "counter=\(first.text)"
            ]) == nil)
    }

    @Test func pathOpensItsPage() async throws {
        let site = try DiarySite()
        let page = try await site.send(.get, "/sheet")
        func dialogs(_ text: String) -> Int { text.components(separatedBy: "<dialog").count - 1 }
        #expect(
            dialogs(page.text) == 1 && page.text.contains("<title>Sheet</title>")
                && page.text.contains("data-path=\"/sheet\""))
        let other = try await site.send(.get, "/", secret: page.secret)
        #expect(dialogs(other.text) == 0)
        #expect(await site.sessions.count == 1)
    }

    /// A link that adds a contact must not add the contact twice.
    @Test func pathIsOpenedOnce() async throws {
        let site = try DiarySite()
        let page = try await site.send(.get, "/add/x")
        #expect(page.text.contains("opened 1 times"))
    }

    @Test func pageContainsServerTime() async throws {
        let page = try await DiarySite().send(.get, "/").text
        #expect(page.contains("data-now=\"1772366400000\""))
    }

    @Test func inventedCookieHasNoSession() async throws {
        let site = try DiarySite()
        let invented = RandomBytes.system.token()
        let page = try await site.send(.get, "/", secret: invented)
        #expect(page.secret != nil && page.secret != invented)
    }

    /// An attacker may have planted the cookie in the browser, and has a page open with it.
    @Test func plantedCookieIsReplacedAtPageLoad() async throws {
        let site = try DiarySite()
        let planted = try EventRouteTests.Loaded(try await site.send(.get, "/"))
        let page = try EventRouteTests.Loaded(
            try await site.send(.get, "/", secret: planted.secret))
        #expect(page.secret != planted.secret)
        let press = try planted.event("Visit")
        #expect(try await site.post("/web/events", press, secret: planted.secret).status == 401)
        let stream = "/web/stream?view=\(planted.view)&generation=\(planted.generation)"
        #expect(try await site.send(.get, stream, secret: planted.secret).status == 401)
        let own = try page.event("Visit")
        #expect(try await site.post("/web/events", own, secret: page.secret).status == 204)
        let reloaded = try await site.send(.get, "/", secret: page.secret)
        #expect(reloaded.text.contains("1 visits"), "a reload continues the session")
        #expect(await site.sessions.count == 1)
    }

    @Test func pageLoadKeepsCookieUntilSignOut() async throws {
        let site = try DiarySite()
        let secret = site.host.backend.makeToken()
        try await site.host.backend.bind(secret, DiaryHost.ada)
        #expect(try await site.send(.get, "/", secret: secret).secret == secret)
        #expect(try await site.send(.get, "/", secret: secret).secret == secret)
        let session = try #require(
            try await site.sessions.session(for: secret, from: Visitor(address: "192.0.2.1")))
        session.resources.signOut()
        let new = try #require(try await site.send(.get, "/", secret: secret).secret)
        #expect(new != secret)
        #expect(await site.sessions.count == 2, "the page has a new session")
    }
}
