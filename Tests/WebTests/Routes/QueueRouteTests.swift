import API
import ClientsLive
import Cryptography
import Domain
import Foundation
import HTTPTypes
import Testing

@testable import LivePages
@testable import Web

@Suite struct QueueRouteTests {
    @Test func queuedItemsKeepTheirIDs() async throws {
        let site = try TestSite()
        let secret = try await site.signIn()
        let (checkIn, alert) = (
            "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
        )
        func item(_ kind: String, _ id: String) -> String {
            """
            {"kind":"\(kind)","id":"\(id)","at":"2026-03-01T12:00:00.000Z","user":"x"}
            """
        }
        let body =
            """
            {"user":"\(TestHost.ada.userID)","items":\
            [\(item("checkIn", checkIn)),\(item("alert", alert))]}
            """
        let answer = try await site.post("/web/queue", body, secret: secret)
        let calls = site.host.state.withLock { $0.calls }
        #expect(
            calls.map(\.path).first == "/v1/alerts/\(alert)"
                && calls.map(\.path).contains("/v1/check-ins/\(checkIn)"))
        #expect(
            calls.allSatisfy { $0.headers["Authorization"] == "Bearer access" && $0.method == .put }
        )
        #expect(
            calls.last.map { String(decoding: $0.body, as: UTF8.self) }
                == #"{"occurredAt":"2026-03-01T12:00:00.000Z"}"#)
        // The item stays in the queue, because the API's answer lacked a body.
        #expect(answer.status == 200 && answer.text == "[]")
    }

    @Test func olderItemIsSentFirst() async throws {
        let site = try TestSite()
        let secret = try await site.signIn()
        let (older, newer) = (UUID(), UUID())
        let items = [(newer, "12:00:00"), (older, "11:59:59")].map { id, time in
            "{\"kind\":\"checkIn\",\"id\":\"\(id)\",\"at\":\"2026-03-01T\(time).000Z\"}"
        }
        let body =
            "{\"user\":\"\(TestHost.ada.userID)\",\"items\":[\(items.joined(separator: ","))]}"
        _ = try await site.post("/web/queue", body, secret: secret)
        #expect(
            site.host.state.withLock { $0.calls.map { $0.path.lowercased() } }
                == [older, newer].map { "/v1/check-ins/\($0.uuidString.lowercased())" })
    }

    /// The browser sends the other items again.
    @Test(arguments: [(500, 500), (501, 500)])
    func requestDeliversAtMost500Items(count: Int, delivered: Int) async throws {
        let site = try TestSite()
        let secret = try await site.signIn()
        // A press without a journey counts as delivered.
        let items = (0..<count).map { _ in
            "{\"kind\":\"journey\",\"id\":\"\(UUID())\",\"at\":\"2026-03-01T12:00:00.000Z\"}"
        }
        let body =
            "{\"user\":\"\(TestHost.ada.userID)\",\"items\":[\(items.joined(separator: ","))]}"
        let answer = try await site.post("/web/queue", body, secret: secret)
        let ids = try JSONDecoder().decode([String].self, from: Data(answer.text.utf8))
        #expect(ids.count == delivered)
    }

    @Test(arguments: [
        (ErrorCode.invalidArgument, true), (.alreadyExists, false), (.rateLimited, false),
        (.unavailable, false),
    ])
    func finalRefusalSettlesQueuedItem(code: ErrorCode, isSettled: Bool) async throws {
        let site = try TestSite()
        let secret = try await site.signIn()
        let id = "22222222-2222-4222-8222-222222222222"
        let refusal = try WireJSON.encoder().encode(Problem(code, detail: "No.", requestID: "x"))
        site.host.state.withLock {
            $0.answers["/v1/check-ins/\(id)"] = TransportResponse(
                status: code.status, body: refusal)
        }
        let item = "{\"kind\":\"checkIn\",\"id\":\"\(id)\",\"at\":\"2026-03-01T12:00:00.000Z\"}"
        let answer = try await site.post(
            "/web/queue", "{\"user\":\"\(TestHost.ada.userID)\",\"items\":[\(item)]}",
            secret: secret)
        #expect(answer.text == (isSettled ? "[\"\(id)\"]" : "[]"))
    }

    /// The browser's request timed out, but the server has received the press.
    @Test func deliveredPressIsNotRepeated() async throws {
        let site = try TestSite()
        let secret = try await site.signIn()
        let page = try await site.send("GET", "/", secret: secret).text
        let shown = try #require(page.firstMatch(of: #/data-view="([^"]*)"/#)?.1)
        let part = try #require(page.firstMatch(of: #/<section data-p="([^"]*)"/#)?.1)
        let generation = try #require(page.firstMatch(of: #/data-generation="(\d+)"/#)?.1)
        let event = "{\"n\":1,\"p\":\"\(part)\",\"i\":0,\"g\":\(generation)}"
        let press = "{\"view\":\"\(shown)\",\"events\":[\(event)]}"
        #expect(try await site.post("/web/events", press, secret: secret).status == 204)
        func send(view: String, number: Int) async throws -> String {
            let item =
                """
                {"kind":"checkIn","id":"11111111-1111-4111-8111-111111111111",\
                "at":"2026-03-01T12:00:00.000Z","view":"\(view)","n":\(number)}
                """
            return try await site.post(
                "/web/queue", "{\"user\":\"\(TestHost.ada.userID)\",\"items\":[\(item)]}",
                secret: secret
            ).text
        }
        #expect(
            try await send(view: "\(shown)", number: 1)
                == #"["11111111-1111-4111-8111-111111111111"]"#)
        #expect(site.host.state.withLock { $0.calls.isEmpty })
        for (view, number) in [("\(shown)", 2), ("gone", 1)] {
            #expect(try await send(view: view, number: number) == "[]")
            #expect(site.host.state.withLock { $0.calls.popLast() } != nil)
        }
    }

    /// The browser's clock may be wrong, but the time between the press and the sending is right. A
    /// request takes at most 30 seconds.
    @Test(arguments: [
        ("12:00:00", "12:00:00", "12:00:00"), ("11:59:58", "12:00:00", "11:59:58"),
        ("11:00:00", "11:00:05", "11:59:25"), ("13:00:00", "13:00:05", "11:59:55"),
        ("13:00:05", "13:00:00", "12:00:00"),
    ])
    func checkInCountsFromItsPress(pressed: String, sent: String, counts: String) async throws {
        let site = try TestSite()
        let secret = try await site.signIn()
        let item =
            "{\"kind\":\"checkIn\",\"id\":\"\(UUID())\",\"at\":\"2026-03-01T\(pressed).000Z\"}"
        let body =
            """
            {"user":"\(TestHost.ada.userID)","items":[\(item)],"version":2,\
            "now":"2026-03-01T\(sent).000Z"}
            """
        _ = try await site.post("/web/queue", body, secret: secret)
        let call = try #require(site.host.state.withLock { $0.calls.first })
        #expect(
            String(decoding: call.body, as: UTF8.self)
                == "{\"occurredAt\":\"2026-03-01T\(counts).000Z\"}")
    }

    /// The service worker doesn't know the clock that timed the press. The server would refuse a
    /// check-in of the future for good.
    @Test(arguments: [("11:00:00", "11:00:00"), ("12:00:00", "12:00:00"), ("13:00:00", "12:00:00")])
    func workersPressIsNeverInTheFuture(pressed: String, counts: String) async throws {
        let site = try TestSite()
        let secret = try await site.signIn()
        let item =
            "{\"kind\":\"checkIn\",\"id\":\"\(UUID())\",\"at\":\"2026-03-01T\(pressed).000Z\"}"
        let body = "{\"user\":\"\(TestHost.ada.userID)\",\"items\":[\(item)],\"version\":2}"
        _ = try await site.post("/web/queue", body, secret: secret)
        let call = try #require(site.host.state.withLock { $0.calls.first })
        #expect(
            String(decoding: call.body, as: UTF8.self)
                == "{\"occurredAt\":\"2026-03-01T\(counts).000Z\"}")
    }

    /// The browser's clock is an hour ahead, and it sends the press five seconds late.
    @Test(arguments: [true, false])
    func pressAboutAJourneyCountsFromItsPress(isLater: Bool) async throws {
        let site = try TestSite()
        let secret = try await site.signIn()
        let journey = "44444444-4444-4444-8444-444444444444"
        let back = isLater ? #","back":"2026-03-01T15:00:00.000Z""# : ""
        let body =
            """
            {"user":"\(TestHost.ada.userID)","version":2,"now":"2026-03-01T13:00:05.000Z",\
            "items":[{"kind":"journey","id":"\(UUID())","journey":"\(journey)",\
            "at":"2026-03-01T13:00:00.000Z"\(back)}]}
            """
        _ = try await site.post("/web/queue", body, secret: secret)
        let call = try #require(site.host.state.withLock { $0.calls.first })
        #expect(call.path == "/v1/journeys/\(journey)/\(isLater ? "return" : "arrival")")
        let noon = Date(timeIntervalSince1970: 1_772_366_400)
        let pressed = noon.adding(.seconds(-5))
        if isLater {
            let sent = try WireJSON.decoder().decode(ExtendJourneyRequest.self, from: call.body)
            let returning = noon.adding(.hours(3))
            #expect(
                sent
                    == ExtendJourneyRequest(
                        expectedReturn: returning, pressedAt: pressed, isLater: true))
        } else {
            let sent = try WireJSON.decoder().decode(EndJourneyRequest.self, from: call.body)
            #expect(sent == EndJourneyRequest(pressedAt: pressed))
        }
    }

    /// The browser sends them in the order of their random ids.
    @Test func itemsAreSentByKind() async throws {
        let site = try TestSite()
        let secret = try await site.signIn()
        func id(_ digit: Int) -> String { "\(digit)1111111-1111-4111-8111-111111111111" }
        func item(_ digit: Int, _ kind: String, _ fields: String = "") -> String {
            let time = "2026-03-01T11:0\(digit):00.000Z"
            return "{\"kind\":\"\(kind)\",\"id\":\"\(id(digit))\",\"at\":\"\(time)\"\(fields)}"
        }
        let items = [
            item(1, "journey", ",\"journey\":\"\(id(5))\""), item(2, "checkIn"), item(3, "alert"),
            item(4, "alert", #","ended":"2026-03-01T11:05:00.000Z""#),
        ]
        let body =
            "{\"user\":\"\(TestHost.ada.userID)\",\"items\":[\(items.joined(separator: ","))]}"
        _ = try await site.post("/web/queue", body, secret: secret)
        #expect(
            site.host.state.withLock { $0.calls.map(\.path) } == [
                "/v1/alerts/\(id(4))", "/v1/alerts/\(id(3))", "/v1/check-ins/\(id(2))",
                "/v1/journeys/\(id(5))/arrival",
            ])
    }

    @Test func pageShowsDeliveredCheckIn() async throws {
        let site = try TestSite()
        let secret = try await site.signIn()
        let id = CheckInID(UUID())
        let now = Date(timeIntervalSince1970: 1_772_366_400)
        let record = CheckInRecord(
            id: id, occurredAt: now, receivedAt: now, nextCheckInTime: now.adding(.hours(24)))
        let answer = TransportResponse(status: 200, body: try WireJSON.encoder().encode(record))
        site.host.state.withLock { $0.answers["/v1/check-ins/\(id)"] = answer }
        let item = "{\"kind\":\"checkIn\",\"id\":\"\(id)\",\"at\":\"2026-03-01T12:00:00.000Z\"}"
        _ = try await site.post(
            "/web/queue", "{\"user\":\"\(TestHost.ada.userID)\",\"items\":[\(item)]}",
            secret: secret)
        #expect(try await site.send("GET", "/", secret: secret).text.contains("1 visits"))
    }

    @Test func sendingStopsWhenAnotherUserSignsIn() async throws {
        let site = try TestSite()
        let secret = try await site.signIn()
        let session = try #require(
            try await site.sessions.session(for: secret, from: Visitor(address: "192.0.2.1")))
        let ben = Caller(userID: UserID(UUID()), sessionID: SessionID(UUID()))
        site.host.state.withLock {
            $0.onCall = { session.resources.credentials.save(.some(of: ben)) }
        }
        let items = (0..<2).map { _ in
            "{\"kind\":\"checkIn\",\"id\":\"\(UUID())\",\"at\":\"2026-03-01T12:00:00.000Z\"}"
        }
        let body =
            "{\"user\":\"\(TestHost.ada.userID)\",\"items\":[\(items.joined(separator: ","))]}"
        _ = await refusal { try await site.post("/web/queue", body, secret: secret) }
        #expect(site.host.state.withLock { $0.calls.count } == 1)
    }

    @Test func queueOfAnotherSiteIsRefused() async throws {
        let site = try TestSite()
        let secret = try await site.signIn()
        let refused = await refusal {
            try await site.send("POST", "/web/queue", "{}", secret: secret)
        }
        #expect(refused?.isPermissionDenied == true)
    }

    @Test func queueOfAnotherUserIsNotSent() async throws {
        let site = try TestSite()
        let secret = try await site.signIn()
        let empty = try await TestSite().send("GET", "/")
        for user in ["somebody", ""] {
            let body = "{\"user\":\"\(user)\",\"items\":[]}"
            #expect(
                await refusal { try await site.post("/web/queue", body, secret: secret) }?
                    .isPermissionDenied == true)
        }
        #expect(empty.secret != nil && site.host.state.withLock { $0.calls.isEmpty })
    }
}
