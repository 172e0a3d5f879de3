import Cryptography
import Foundation
import HTTPTypes
import RequestsInProcess
import Testing

@testable import LivePages

@Suite struct EventRouteTests {
    /// A loaded page. It creates requests like the page's script.
    struct Loaded {
        var secret: Token
        var view: String
        var generation: Int
        var markup: String

        init(_ page: PageAnswer) throws {
            secret = try #require(page.secret)
            view = String(try #require(page.text.firstMatch(of: #/data-view="([^"]*)"/#)).1)
            generation = try #require(
                page.text.firstMatch(of: #/data-generation="([0-9]+)"/#).flatMap { Int($0.1) })
            markup = page.text.components(separatedBy: "</a>").last ?? ""
        }

        func event(_ words: String, number: Int = 1, value: String? = nil) throws -> String {
            let before = markup[..<(try #require(markup.firstRange(of: ">\(words)<")).lowerBound)]
            let index = try #require(before.matches(of: #/data-(?:tap|hold)="([0-9]+)"/#).last).1
            let part = try #require(Browser.part(around: before))
            return
                """
                {"view":"\(view)","events":[{"n":\(number),"p":"\(part)","i":\(index),\
                "g":\(generation)\(value.map { ",\"v\":\($0)" } ?? "")}]}
                """
        }
    }

    @Test func pressReachesFeature() async throws {
        let site = try DiarySite()
        let page = try Loaded(try await site.send(.get, "/"))
        #expect(
            try await site.post("/web/events", try page.event("Visit"), secret: page.secret).status
                == 204)
        let again = try Loaded(try await site.send(.get, "/", secret: page.secret))
        #expect(again.markup.contains("1 visits"))
        #expect(
            try await site.post(
                "/web/events", try again.event("Hold", value: "0.5"), secret: again.secret
            ).status == 204)
        let refused = try await site.post(
            "/web/events", try again.event("Hold", number: 2, value: "7"), secret: again.secret)
        #expect(refused.status == 200 && refused.text == #"{"refused":[2]}"#)
    }

    @Test func otherBrowserCannotSendEvent() async throws {
        let site = try DiarySite()
        let ada = try Loaded(try await site.send(.get, "/"))
        let ben = try Loaded(try await site.send(.get, "/"))
        let body = try ada.event("Visit")
        #expect(try await site.post("/web/events", body, secret: ben.secret).status == 410)
        #expect(try await site.post("/web/events", body, secret: nil).status == 401)
        let invented = RandomBytes.system.token()
        #expect(try await site.post("/web/events", body, secret: invented).status == 401)
        #expect(try await site.send(.get, "/", secret: ada.secret).text.contains("0 visits"))
    }

    @Test(arguments: ["/web/events", "/web/files/AAAAAAAA.0", "/web/session"])
    func crossSiteRequestIsRefused(path: String) async throws {
        let site = try DiarySite()
        let page = try Loaded(try await site.send(.get, "/"))
        let header = HTTPField.Name("X-Counter") ?? .via
        let changes: [(HTTPField.Name, String?)] = [
            (header, nil), (header, "0"), (.origin, nil), (.origin, "https://evil.example"),
            (.origin, "null"), (.origin, "https://counter.example.evil.example"),
            (.origin, "http://counter.example:1"), (.secFetchSite, "cross-site"),
            (.secFetchSite, "same-site"),
        ]
        for (name, value) in changes {
            var headers = DiarySite.own
            headers[name] = value
            let answer = try await site.send(
                .post, path, "{}", secret: page.secret, headers: headers)
            #expect(answer.status == 403, "\(name): \(value ?? "none")")
        }
    }

    /// The proxy may replace the name of the host that the browser used.
    @Test func pagesOfOtherURLsMaySendEvents() async throws {
        let other = try #require(URL(string: "https://Other.example:8443/app"))
        let site = try DiarySite(otherURLs: [other])
        let page = try Loaded(try await site.send(.get, "/"))
        for (origin, status) in [
            ("https://other.example:8443", 204), ("https://other.example", 403),
            ("http://other.example:8443", 403), ("https://counter.example", 204),
        ] {
            var headers = DiarySite.own
            headers[.origin] = origin
            let answer = try await site.send(
                .post, "/web/events", "{\"view\":\"\(page.view)\",\"events\":[]}",
                secret: page.secret, headers: headers)
            #expect(answer.status == status, "\(origin)")
        }
    }

    @Test func servedAuthorityIsOwnOrigin() async throws {
        let site = try DiarySite()
        let page = try Loaded(try await site.send(.get, "/"))
        var headers = DiarySite.own
        headers[.origin] = "http://192.168.1.7:8080"
        let answer = try await site.send(
            .post, "/web/events", try page.event("Visit"), secret: page.secret, headers: headers,
            authority: "192.168.1.7:8080")
        #expect(answer.status == 204)
    }

    @Test(arguments: [
        "", "{", "[]", "{\"view\":1}", "{\"view\":\"x\",\"events\":[{\"n\":1}]}",
        "{\"view\":\"x\",\"events\":[{\"n\":\"1\",\"path\":\"/\"}]}",
    ])
    func malformedEventsAreRefused(body: String) async throws {
        let site = try DiarySite()
        let page = try Loaded(try await site.send(.get, "/"))
        #expect(try await site.post("/web/events", body, secret: page.secret).status == 400)
    }

    @Test(arguments: [(50, 204), (51, 400)])
    func batchHasAtMost50Events(count: Int, status: Int) async throws {
        let site = try DiarySite()
        let page = try Loaded(try await site.send(.get, "/"))
        let events = (1...count).map { "{\"n\":\($0),\"path\":\"/\"}" }.joined(separator: ",")
        let body = "{\"view\":\"\(page.view)\",\"events\":[\(events)]}"
        #expect(try await site.post("/web/events", body, secret: page.secret).status == status)
    }

    @Test func oversizedRequestsAreRefused() async throws {
        let site = try DiarySite()
        let page = try Loaded(try await site.send(.get, "/"))
        let large = String(repeating: "x", count: 128 * 1024 + 1)
        #expect(try await site.post("/web/events", large, secret: page.secret).status == 413)
        let path = try page.filePath()
        let larger = String(repeating: "x", count: 6_000_002)
        #expect(try await site.post(path, larger, secret: page.secret).status == 413)
        #expect(try await site.post(path, "x", secret: page.secret).status == 204)
    }

    @Test func streamRequiresPageOfSession() async throws {
        let site = try DiarySite()
        let page = try Loaded(try await site.send(.get, "/"))
        let answer = try await site.send(
            .get, "/web/stream?view=\(page.view)&generation=\(page.generation)",
            secret: page.secret)
        #expect(answer.status == 200 && answer.headers[.contentType] == "text/event-stream")
        let path = "/web/stream?view=x&generation=1"
        #expect(try await site.send(.get, path).status == 401)
        #expect(try await site.send(.get, "/web/stream", secret: page.secret).status == 400)
        let elsewhere = try await site.send(
            .get, path, secret: page.secret, headers: [.secFetchSite: "cross-site"])
        #expect(elsewhere.status == 403)
    }
}
