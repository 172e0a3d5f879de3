import API
import ClientsLive
import Domain
import Foundation
import Testing

@testable import LivePages
@testable import Web

/// The browser stores an alert until the alert has reached the server.
@Suite struct QueuedAlertTests {
    private let id = "22222222-2222-4222-8222-222222222222"
    private let site: TestSite

    init() throws { site = try TestSite() }

    /// Returns the ids that the browser may delete if the API gives these answers.
    private func settled(
        _ answers: [String: TransportResponse], ended: Bool = false, version: Int? = nil
    ) async throws -> String {
        site.host.state.withLock { state in
            for (path, answer) in answers { state.answers[path] = answer }
        }
        return try await send([item(id, ended: ended)], version: version)
    }

    private func item(
        _ id: String, at time: String = "12:00:00", ended: Bool = false, isKnown: Bool = false,
        until endTime: String = "12:00:30"
    ) -> String {
        let end = ended ? ",\"ended\":\"2026-03-01T\(endTime).000Z\"" : ""
        let known = isKnown ? ",\"isKnown\":true" : ""
        return
            """
            {"kind":"alert","id":"\(id)","at":"2026-03-01T\(time).000Z"\(end)\(known)}
            """
    }

    private func send(_ items: [String], version: Int? = nil) async throws -> String {
        let secret = try await site.signIn()
        let start = version.map { "{\"version\":\($0)," } ?? "{"
        let body =
            start
            + "\"user\":\"\(TestHost.ada.userID)\",\"items\":[\(items.joined(separator: ","))]}"
        return try await site.post("/web/queue", body, secret: secret).text
    }

    private func refused(_ code: ErrorCode) throws -> TransportResponse {
        let body = try WireJSON.encoder().encode(Problem(code, detail: "No.", requestID: "x"))
        return TransportResponse(status: code.status, body: body)
    }

    private func answer(_ alert: AlertRecord, status: Int = 200) throws -> TransportResponse {
        TransportResponse(status: status, body: try WireJSON.encoder().encode(alert))
    }

    private func alert(_ id: String, isActive: Bool = true) -> AlertRecord {
        AlertRecord(
            id: id, startTime: Date(timeIntervalSince1970: 1_772_366_400),
            endTime: isActive ? nil : Date(timeIntervalSince1970: 1_772_366_430),
            userId: "\(TestHost.ada.userID)", isActive: isActive, kind: .manual)
    }

    private var paths: [String] { site.host.state.withLock { $0.calls.map(\.path) } }

    private var lastBody: String {
        String(decoding: site.host.state.withLock { $0.calls.last?.body ?? Data() }, as: UTF8.self)
    }

    @Test(arguments: ErrorCode.allCases)
    func refusedAlertStaysQueued(code: ErrorCode) async throws {
        #expect(try await settled(["/v1/alerts/\(id)": refused(code)]) == "[]")
    }

    @Test func queuedAlertCarriesPressTime() async throws {
        #expect(try await settled(["/v1/alerts/\(id)": answer(alert(id))]) == "[\"\(id)\"]")
        let body = site.host.state.withLock { $0.calls.first?.body ?? Data() }
        #expect(
            String(decoding: body, as: UTF8.self) == #"{"raisedAt":"2026-03-01T12:00:00.000Z"}"#)
    }

    /// Another alert was already open, so the server raises no second alert. The open alert is
    /// ended.
    @Test func alertEndedBeforeSendingIsRaisedAndEnded() async throws {
        let other = "33333333-3333-4333-8333-333333333333"
        let end = "/v1/alerts/\(other)/end"
        let answers = [
            "/v1/alerts/\(id)": try answer(alert(other)),
            end: try answer(alert(other, isActive: false)),
        ]
        #expect(try await settled(answers, ended: true) == "[\"\(id)\"]")
        #expect(paths == ["/v1/alerts/\(id)", end])
        #expect(lastBody == #"{"pressedAt":"2026-03-01T12:00:30.000Z"}"#)
    }

    /// Another device raised that alert after the end, so the server doesn't end it.
    @Test func alertThatGoesOnAfterTheEndIsShown() async throws {
        let other = "33333333-3333-4333-8333-333333333333"
        let answers = [
            "/v1/alerts/\(id)": try answer(alert(other)),
            "/v1/alerts/\(other)/end": try answer(alert(other)),
        ]
        #expect(try await settled(answers, ended: true, version: 2).contains("\"on\":[\"\(id)\"]"))
    }

    @Test func endOfTheRaisedAlertHasNoTime() async throws {
        let answers = [
            "/v1/alerts/\(id)": try answer(alert(id)),
            "/v1/alerts/\(id)/end": try answer(alert(id, isActive: false)),
        ]
        #expect(try await settled(answers, ended: true) == "[\"\(id)\"]")
        #expect(lastBody == "{}")
    }

    /// A restore may have lost the end.
    @Test(arguments: [(true, "11:50:00"), (true, "11:59:30"), (false, "11:50:00")])
    func lateEndHasItsTime(isKnown: Bool, time: String) async throws {
        let answers = [
            "/v1/alerts/\(id)": try answer(alert(id)),
            "/v1/alerts/\(id)/end": try answer(alert(id, isActive: false)),
        ]
        site.host.state.withLock { $0.answers = answers }
        let start = isKnown ? time : "11:49:00"
        let ended = item(id, at: start, ended: true, isKnown: isKnown, until: time)
        #expect(try await send([ended]) == "[\"\(id)\"]")
        let isLate = time == "11:50:00"
        #expect(lastBody == (isLate ? #"{"endedAt":"2026-03-01T11:50:00.000Z"}"# : "{}"))
    }

    @Test func failedEndIsRetried() async throws {
        let answers = [
            "/v1/alerts/\(id)": try answer(alert(id)),
            "/v1/alerts/\(id)/end": try refused(.unavailable),
        ]
        #expect(try await settled(answers, ended: true) == "[]")
    }

    /// The page had already shown the alert as raised, so only the end is sent.
    @Test func endOfKnownAlertRaisesNothing() async throws {
        let end = "/v1/alerts/\(id)/end"
        site.host.state.withLock { [id] in
            $0.answers[end] = try? answer(alert(id, isActive: false))
        }
        #expect(try await send([item(id, ended: true, isKnown: true)]) == "[\"\(id)\"]")
        #expect(paths == [end])
    }

    /// The server has merged the new alert with the open one. Ending the open alert would end the
    /// new call for help.
    @Test func failedEndIsDroppedForNewAlert() async throws {
        let other = "33333333-3333-4333-8333-333333333333"
        site.host.state.withLock { [id] in
            $0.answers["/v1/alerts/\(id)/end"] = try? refused(.unavailable)
            $0.answers["/v1/alerts/\(other)"] = try? answer(alert(id))
        }
        let items = [item(id, ended: true, isKnown: true), item(other)]
        #expect(try await send(items) == "[\"\(id)\",\"\(other)\"]")
    }

    /// The service worker sends the items in the order of their random ids. The user may have set
    /// the browser's clock back between both alerts.
    @Test(arguments: ["12:01:00", "11:59:00"])
    func endOfEarlierAlertPrecedesNewAlert(time: String) async throws {
        let other = "11111111-1111-4111-8111-111111111111"
        let end = "/v1/alerts/\(id)/end"
        let answers = [
            "/v1/alerts/\(id)": try answer(alert(id)),
            end: try answer(alert(id, isActive: false)),
            "/v1/alerts/\(other)": try answer(alert(other)),
        ]
        site.host.state.withLock { $0.answers = answers }
        let items = [item(other, at: time), item(id, ended: true)]
        #expect(try await send(items) == "[\"\(id)\",\"\(other)\"]")
        #expect(paths == ["/v1/alerts/\(id)", end, "/v1/alerts/\(other)"])
    }
}
