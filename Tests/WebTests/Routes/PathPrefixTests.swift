import API
import Domain
import Foundation
import Testing

@testable import LivePages
@testable import Web

/// The web app of a server that shares its host with other sites.
@Suite struct PathPrefixTests {
    private static let url = "https://lifesignal.example/people"

    @Test func documentNamesOnlyAddressesBelowThePrefix() async throws {
        let site = try TestSite(publicURL: Self.url)
        for path in ["/", "/sheet", "/web/shell", "/nowhere"] {
            let page = try await site.send("GET", path, headers: ["Accept": "text/html"]).text
            #expect(page.contains("href=\"/people/") && page.contains("data-base=\"/people\""))
            let outside = Screen<Never>.addresses(in: page, outside: "/people")
            #expect(outside.isEmpty, "\(path)")
        }
    }

    @Test func cookieIsLimitedToThePrefix() async throws {
        let site = try TestSite(publicURL: Self.url)
        let page = try await site.send("GET", "/")
        let cookie = try #require(page.headers[.setCookie])
        #expect(cookie.hasPrefix("__Secure-lifesignal=") && cookie.contains("; Path=/people;"))
        #expect(cookie.hasSuffix("; Secure"))
        let secret = try await site.signIn()
        #expect(try await site.send("GET", "/", secret: secret).secret == secret)
    }

    @Test func sharedPictureRedirectsBelowThePrefix() async throws {
        let answer = try await TestSite(publicURL: Self.url).send("POST", WebPath.share, "picture")
        #expect(answer.headers[.location] == "/people/scan")
    }

    /// The worker reads the prefix from its own address.
    @Test func workerAndManifestContainNoPrefix() async throws {
        let site = try TestSite(publicURL: Self.url)
        for path in ["/sw.js", "/manifest.webmanifest"] {
            let text = try await site.send("GET", path).text
            #expect(try await TestSite().send("GET", path).text == text)
        }
        let manifest = try await site.send("GET", "/manifest.webmanifest").text
        #expect(!manifest.contains("\":\"/"))
    }

    /// A prefix that begins like one of these would be ambiguous.
    @Test func everyPathOfTheServerIsReserved() {
        let files = [Assets.library.worker, Assets.library.manifest].map { "/\($0.name)" }
        let paths = WebPath.all + Routes.all.map(\.path) + files + [WebPath.share]
        for path in paths where path != "/" {
            let first = path.split(separator: "/").first.map(String.init) ?? ""
            #expect(PathPrefix.reserved.contains(first), "\(path)")
        }
    }
}
