import Cryptography
import Domain
import Foundation
import Testing

@testable import LivePages
@testable import Web

/// Many users can share an address, and one of them can use up the rate limit of the address.
@Suite struct SharedAddressTests {
    private static let emptyQueue = "{\"user\":\"\(TestHost.ada.userID)\",\"items\":[]}"

    /// Returns a site on which the address of all requests has used up its rate limit, together
    /// with a page of Ada's.
    private func exhausted() async throws -> (site: TestSite, secret: Token, page: String) {
        let site = try TestSite(requestsPerAddress: 8)
        let secret = try await site.signIn()
        let page = try await site.send("GET", "/", secret: secret).text
        for _ in 0..<3 { #expect(try await site.send("GET", "/web/shell").status == 200) }
        #expect(await refusal { try await site.send("GET", "/web/shell") }?.isRateLimited == true)
        return (site, secret, page)
    }

    @Test func signedInPageIgnoresAddressLimit() async throws {
        let (site, secret, page) = try await exhausted()
        let view = try #require(page.firstMatch(of: #/data-view="([^"]*)"/#)?.1)
        let part = try #require(page.firstMatch(of: #/<section data-p="([^"]*)"/#)?.1)
        let generation = try #require(page.firstMatch(of: #/data-generation="(\d+)"/#)?.1)
        let event = "{\"n\":1,\"p\":\"\(part)\",\"i\":0,\"g\":\(generation)}"
        let press = "{\"view\":\"\(view)\",\"events\":[\(event)]}"
        #expect(try await site.post("/web/events", press, secret: secret).status == 204)
        #expect(try await site.post("/web/queue", Self.emptyQueue, secret: secret).status == 200)
        #expect(try await site.send("GET", "/", secret: secret).text.contains("1 visits"))
        // The user's own rate limit is counted separately.
        #expect(try await site.send("GET", "/web/shell", secret: secret).status == 200)
        let refused = await refusal { try await site.send("GET", "/", secret: secret) }
        #expect(refused?.isRateLimited == true)
    }

    /// Another page of the same account floods the server.
    @Test func pageOfABusyUserCanCallForHelp() async throws {
        let site = try TestSite(requestsPerAddress: 8)
        let flooding = try await site.signIn()
        let own = site.host.backend.makeToken()
        try await site.host.backend.bind(
            own, Caller(userID: TestHost.ada.userID, sessionID: SessionID(UUID())))
        for secret in [flooding, own] { _ = try await site.send("GET", "/", secret: secret) }
        func queue(_ secret: Token, length: Int? = nil) async -> CommandError? {
            let usual = [
                "X-LifeSignal": "1", "Origin": TestSite.origin, "Sec-Fetch-Site": "same-origin",
            ]
            let headers =
                usual.merging(length.map { ["Content-Length": "\($0)"] } ?? [:]) { $1 }
            return await refusal {
                try await site.send(
                    "POST", "/web/queue", Self.emptyQueue, secret: secret, headers: headers)
            }
        }
        func shell(_ secret: Token) async -> CommandError? {
            await refusal { try await site.send("GET", "/web/shell", secret: secret) }
        }
        while await shell(flooding) == nil {}
        for _ in 0..<12 { #expect(await queue(flooding) == nil) }
        #expect(await queue(flooding)?.isRateLimited == true)
        // The other page has its own limit.
        #expect(await shell(own)?.isRateLimited == true)
        #expect(await queue(own, length: 16_001)?.isRateLimited == true)
        #expect(await queue(own, length: 16_000)?.isRateLimited != true)
        #expect(await queue(own) == nil)
    }

    @Test func forgedCookieCountsAgainstItsAddress() async throws {
        let (site, secret, _) = try await exhausted()
        let asleep = site.host.backend.makeToken()
        try await site.host.backend.bind(
            asleep, Caller(userID: UserID(UUID()), sessionID: SessionID(UUID())))
        for cookie in [site.host.backend.makeToken(), asleep] {
            let refused = await refusal {
                try await site.post("/web/queue", Self.emptyQueue, secret: cookie)
            }
            #expect(refused?.isRateLimited == true)
        }
        // The API ignores cookies, so the cookie doesn't help here.
        let refused = await refusal { try await site.send("GET", "/v1/me", secret: secret) }
        #expect(refused?.isRateLimited == true)
    }
}
