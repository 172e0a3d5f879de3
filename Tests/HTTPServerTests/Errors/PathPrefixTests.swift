import API
import Cryptography
import Domain
import Foundation
import SafetyNetwork
import Testing

@testable import HTTPServer

/// A server that shares its host with other sites.
@Suite struct PathPrefixTests {
    private func server(_ change: (inout TestServer.Setup) -> Void = { _ in }) throws -> TestServer
    {
        let url = try #require(URL(string: "https://example.org/lifesignal"))
        return try TestServer {
            $0.configuration.publicURL = url
            change(&$0)
        }
    }

    /// The path arrives as a whole, or without the prefix, as the proxy likes.
    @Test(arguments: ["/lifesignal", ""])
    func routesAnswerWithAndWithoutPrefix(prefix: String) async throws {
        let answer = try await server().send("GET", "\(prefix)/health/live")
        #expect(answer.status == 200)
    }

    @Test(arguments: ["/lifesignal2/health/live", "/other/health/live", "/lifesignal/nowhere"])
    func otherPathIs404(path: String) async throws {
        #expect(try await server().send("GET", path).status == 404)
    }

    @Test func prefixWithoutSlashRedirectsBrowsers() async throws {
        let answer = try await server().send("GET", "/lifesignal?a=b")
        #expect(answer.status == 307 && answer.header("Location") == "/lifesignal/?a=b")
        #expect(try await server().send("POST", "/lifesignal").status == 404)
    }

    @Test func bodyAndQueryArriveBehindThePrefix() async throws {
        let answer = try await server().send(
            "POST", "/lifesignal/v1/auth/codes", .json(#"{"phoneNumber":"+4915100000001"}"#))
        #expect(answer.status / 100 == 2)
    }

    @Test(arguments: [LinkPath.invitation, LinkPath.alert, LinkPath.drill, LinkPath.session])
    func formsPostBelowThePrefix(path: String) async throws {
        let opened = try await server().send("GET", "/lifesignal\(path)")
        #expect(opened.text.contains("action=\"/lifesignal\(path)\""))
    }

    @Test(arguments: [LinkPath.invitation, LinkPath.alert, LinkPath.drill, LinkPath.session])
    func pathOfALinkIsNoPrefix(path: String) {
        #expect(PathPrefix(path) == nil)
    }

    /// A tap on a notification must not go to such a page, because the page can't open an alert.
    @Test func serviceWorkerKnowsThePathsOfLinks() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Apps/Web/Assets/push-worker.js").standardized
        let script = try String(contentsOf: file, encoding: .utf8)
        let pattern = try #require(script.firstMatch(of: #/const linkPath = \/(.*)\/;/#)).1
        let linkPath = try Regex(String(pattern))
        let links = [
            LinkPath.invitation, LinkPath.alert, LinkPath.drill, LinkPath.session,
            UnsubscribePath.path,
        ]
        for path in links { #expect(path.contains(linkPath), "\(path)") }
        for path in ["/", "/alerts/x", "/add/x", "/dependents", "/invitations", "/settings"] {
            #expect(!path.contains(linkPath), "\(path)")
        }
    }

    @Test func linksInMessagesHaveThePrefix() throws {
        let url = try #require(URL(string: "https://example.org/lifesignal"))
        #expect(
            LinkPath.url(url, .session, secret: "x").absoluteString
                == "https://example.org/lifesignal/s#x")
        #expect(
            UnsubscribePath.url(url, token: "x").absoluteString
                == "https://example.org/lifesignal/v1/email/unsubscribe?token=x")
    }

    @Test func nextFormPostsBelowThePrefix() async throws {
        let server = try server()
        let ada = try await server.person("Ada", number: "+4915100000001")
        let session = try #require(try await server.call(Routes.sessions, by: ada).items.first)
        let link = server.network.accountNews.sessionLink(ada.id, session.id)
        let secret = try #require(link.fragment)
        let form = Content(
            type: "application/x-www-form-urlencoded",
            bytes: Data("secret=\(secret)&action=show".utf8))
        let answer = try await server.send("POST", "/lifesignal\(LinkPath.session)", form)
        #expect(answer.text.contains("action=\"/lifesignal\(LinkPath.session)\""))
    }

    @Test func appleFileStaysAtTheRootAndNamesPrefixedPaths() async throws {
        let app = try #require(LinkedApps.IOSApp("TEAM012345.org.example.app"))
        let server = try server { $0.configuration.linkedApps = LinkedApps(ios: [app]) }
        let answer = try await server.send("GET", "/.well-known/apple-app-site-association")
        #expect(answer.status == 200 && answer.text.contains("\"/lifesignal/alerts/*\""))
        #expect(!answer.text.contains("\"/alerts/*\""))
    }

    /// Twilio signs the whole address, also if the proxy has removed the prefix.
    @Test(arguments: ["/lifesignal", ""])
    func providerSignsTheWholeAddress(prefix: String) async throws {
        let server = try server { setup in
            setup.receiveSMSReport = { url, _, _ in
                url == "https://example.org/lifesignal/v1/sms/twilio?user=1"
            }
        }
        let form = Content(type: "application/x-www-form-urlencoded", bytes: Data("a=b".utf8))
        let answer = try await server.send("POST", "\(prefix)/v1/sms/twilio?user=1", form)
        #expect(answer.status == 204)
    }
}
