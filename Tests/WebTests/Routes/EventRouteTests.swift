import API
import ClientsLive
import Cryptography
import Domain
import Foundation
import HTTPTypes
import Testing

@testable import LivePages
@testable import Web

@Suite struct EventRouteTests {
    /// A page that was loaded, and what its script would send for a button.
    struct Loaded {
        var secret: Token
        var view: String
        var generation: Int
        var markup: String

        init(_ page: TestSite.Answer) throws {
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

    @Test func aPressTravels() async throws {
        let site = try TestSite()
        let page = try Loaded(try await site.send("GET", "/"))
        #expect(
            try await site.post("/web/events", try page.event("Visit"), secret: page.secret).status
                == 204)
        let again = try Loaded(try await site.send("GET", "/", secret: page.secret))
        #expect(again.markup.contains("1 visits"))
        #expect(
            try await site.post(
                "/web/events", try again.event("Hold", value: "0.5"), secret: page.secret
            ).status == 204)
        let refused = try await site.post(
            "/web/events", try again.event("Hold", number: 2, value: "7"), secret: page.secret)
        #expect(refused.status == 200 && refused.text == #"{"refused":[2]}"#)
    }

    @Test func nobodyElseCanSendIt() async throws {
        let site = try TestSite()
        let ada = try Loaded(try await site.send("GET", "/"))
        let ben = try Loaded(try await site.send("GET", "/"))
        let body = try ada.event("Visit")
        #expect(try await site.post("/web/events", body, secret: ben.secret).status == 410)
        #expect(
            await refusal { try await site.post("/web/events", body, secret: nil) }?
                .isUnauthenticated == true)
        #expect(
            await refusal {
                try await site.post("/web/events", body, secret: RandomBytes.system.token())
            }?.isUnauthenticated == true)
        #expect(try await site.send("GET", "/", secret: ada.secret).text.contains("0 visits"))
    }

    @Test(arguments: ["/web/events", "/web/files/AAAAAAAA.0", "/web/queue", "/web/session"])
    func aRequestFromElsewhereIsRefused(path: String) async throws {
        let site = try TestSite()
        let page = try Loaded(try await site.send("GET", "/"))
        let ours = [
            "X-LifeSignal": "1", "Origin": TestSite.origin, "Sec-Fetch-Site": "same-origin",
        ]
        let changes: [(String, String?)] = [
            ("X-LifeSignal", nil), ("X-LifeSignal", "0"), ("Origin", nil),
            ("Origin", "https://evil.example"), ("Origin", "null"),
            ("Origin", "https://lifesignal.example.evil.example"),
            ("Origin", "http://lifesignal.example:1"), ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Site", "same-site"),
        ]
        for (name, value) in changes {
            var headers = ours
            headers[name] = value
            let refused = await refusal {
                try await site.send("POST", path, "{}", secret: page.secret, headers: headers)
            }
            #expect(refused?.isPermissionDenied == true, "\(name): \(value ?? "none")")
        }
    }

    @Test func theAddressThatServesIsOneOfOurs() async throws {
        let site = try TestSite()
        let page = try Loaded(try await site.send("GET", "/"))
        let headers = ["X-LifeSignal": "1", "Origin": "http://192.168.1.7:8080"]
        let answer = try await site.send(
            "POST", "/web/events", try page.event("Visit"), secret: page.secret, headers: headers,
            authority: "192.168.1.7:8080")
        #expect(answer.status == 204)
    }

    @Test(arguments: [
        "", "{", "[]", "{\"view\":1}", "{\"view\":\"x\",\"events\":[{\"n\":1}]}",
        "{\"view\":\"x\",\"events\":[{\"n\":\"1\",\"path\":\"/\"}]}",
    ])
    func whatNoPageSendsIsRefused(body: String) async throws {
        let site = try TestSite()
        let page = try Loaded(try await site.send("GET", "/"))
        #expect(
            await refusal { try await site.post("/web/events", body, secret: page.secret) }?
                .isInvalid == true)
    }

    @Test func moreThanAPageSendsIsRefused() async throws {
        let site = try TestSite()
        let page = try Loaded(try await site.send("GET", "/"))
        let large = String(repeating: "x", count: 64 * 1024 + 1)
        #expect(
            await refusal { try await site.post("/web/events", large, secret: page.secret) }?
                .isTooLarge == true)
        let path = "/web/files/AAAAAAAA.0?view=\(page.view)&generation=1&number=1"
        #expect(
            await refusal {
                try await site.post(
                    path, String(repeating: "x", count: 6_000_002), secret: page.secret)
            }?.isTooLarge == true)
        #expect(try await site.post(path, "x", secret: page.secret).text == #"{"refused":[1]}"#)
    }

    @Test func aStreamIsForAPageOfThisSession() async throws {
        let site = try TestSite()
        let page = try Loaded(try await site.send("GET", "/"))
        let answer = try await site.send(
            "GET", "/web/stream?view=\(page.view)&generation=\(page.generation)",
            secret: page.secret)
        #expect(answer.status == 200 && answer.headers[.contentType] == "text/event-stream")
        #expect(
            await refusal { try await site.send("GET", "/web/stream?view=x&generation=1") }?
                .isUnauthenticated == true)
        #expect(
            await refusal { try await site.send("GET", "/web/stream", secret: page.secret) }?
                .isInvalid == true)
        let elsewhere = await refusal {
            try await site.send(
                "GET", "/web/stream?view=x&generation=1", secret: page.secret,
                headers: ["Sec-Fetch-Site": "cross-site"])
        }
        #expect(elsewhere?.isPermissionDenied == true)
    }

    @Test func aPictureIsShownToWhomTheAPIShowsIt() async throws {
        let site = try TestSite()
        let secret = try await signedIn(site)
        let (png, page, none) = (
            "33333333-3333-4333-8333-333333333333", "44444444-4444-4444-8444-444444444444",
            "55555555-5555-4555-8555-555555555555"
        )
        site.host.state.withLock { state in
            state.answers["/v1/pictures/\(png)"] = TransportResponse(
                status: 200, headers: ["content-type": "image/png"], body: Data([1, 2]))
            state.answers["/v1/pictures/\(page)"] = TransportResponse(
                status: 200, headers: ["content-type": "text/html"], body: Data())
        }
        let answer = try await site.send("GET", "/web/pictures/\(png)", secret: secret)
        #expect(answer.headers[.contentType] == "image/png" && answer.text == "\u{1}\u{2}")
        for other in [page, none, "x"] {
            #expect(
                await refusal {
                    try await site.send("GET", "/web/pictures/\(other)", secret: secret)
                } != nil)
        }
    }
}
