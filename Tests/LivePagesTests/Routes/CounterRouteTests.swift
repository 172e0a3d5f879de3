import Foundation
import HTTPTypes
import Hummingbird
import Testing

@testable import LivePages

/// Tests an app with its own names for the cookie and the header.
@Suite struct CounterRouteTests {
    private let server = CounterServer()
    private static let header = HTTPField.Name("X-Counter") ?? .via

    private func cookie(_ response: Response) throws -> String {
        let header = try #require(response.headers[.setCookie])
        return String(header.prefix { $0 != ";" })
    }

    @Test func pageIsServedAndItsEventsAreHandled() async throws {
        let site = try server.responder(server.sessions())
        let response = try await site.send(.get, "/")
        let page = try await text(of: response)
        #expect(page.contains("<h1>Counter</h1>") && page.contains("/counter.js"))
        let cookie = try cookie(response)
        #expect(cookie.hasPrefix("__Host-counter="))

        let view = try #require(page.firstMatch(of: #/data-view="([^"]*)"/#)?.1)
        let generation = try #require(page.firstMatch(of: #/data-generation="(\d+)"/#)?.1)
        let form = try #require(page.firstMatch(of: #/<form data-p="([^"]*)"/#)?.1)
        let index = try #require(page.firstMatch(of: #/data-tap="(\d+)"[^>]*>Add/#)?.1)
        let event = "{\"n\":1,\"p\":\"\(form)\",\"i\":\(index),\"g\":\(generation)}"
        let body = "{\"view\":\"\(view)\",\"events\":[\(event)]}"
        let own: [HTTPField.Name: String] = [
            .cookie: cookie, .origin: CounterServer.origin, Self.header: "1",
        ]
        #expect(try await site.send(.post, "/web/events", body, headers: own).status == .noContent)
        let file = try await site.send(.get, "/web/downloads/count.txt", headers: [.cookie: cookie])
        #expect(try await text(of: file) == "1")
    }

    @Test func streamReportsBrowserTimeZone() async throws {
        let site = try server.responder(server.sessions())
        let response = try await site.send(.get, "/")
        let (page, cookie) = (try await text(of: response), try cookie(response))
        let view = try #require(page.firstMatch(of: #/data-view="([^"]*)"/#)?.1)
        for zone in ["", "&zone=Europe%2FBerlin"] {
            let path = "/web/stream?view=\(view)&generation=1\(zone)"
            #expect(try await site.send(.get, path, headers: [.cookie: cookie]).status == .ok)
        }
        #expect(server.zones == ["Europe/Berlin"])
    }

    @Test func otherSitesAreRefused() async throws {
        let site = try server.responder(server.sessions())
        let cookie = try cookie(try await site.send(.get, "/"))
        func status(_ headers: [HTTPField.Name: String]) async throws -> HTTPResponse.Status {
            try await site.send(.post, "/web/events", "{}", headers: headers).status
        }
        let own: [HTTPField.Name: String] = [.origin: CounterServer.origin, Self.header: "1"]
        #expect(try await status([.cookie: cookie]) == .forbidden)
        #expect(try await status(own) == .unauthorized)
        #expect(try await status(own.merging([.cookie: cookie]) { $1 }) == .badRequest)
    }

    @Test(arguments: ["counter.js", "page.js", "events.js", "counter.css", "scanner.js"])
    func filesOfAppAndLibraryAreServed(name: String) async throws {
        let site = try server.responder(server.sessions())
        let path = CounterServer.site.document.assets.path(name)
        #expect(try await site.send(.get, path).status == .ok)
    }
}
