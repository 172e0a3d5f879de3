import API
import ClientsLive
import Domain
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite struct QueueReportTests {
    private let id = "11111111-1111-4111-8111-111111111111"
    private let site: TestSite

    init() throws { site = try TestSite() }

    /// Returns the report about one item after this answer of the API.
    private func report(
        _ kind: String, _ path: String, _ answer: TransportResponse, ended: Bool = false,
        fields: String = ""
    ) async throws -> String {
        let secret = try await site.signIn()
        site.host.state.withLock { $0.answers[path] = answer }
        let end = ended ? ",\"ended\":\"2026-03-01T12:00:30.000Z\"" : ""
        let time = "2026-03-01T12:00:00.000Z"
        let item = "{\"kind\":\"\(kind)\",\"id\":\"\(id)\",\"at\":\"\(time)\"\(end)\(fields)}"
        let body = "{\"user\":\"\(TestHost.ada.userID)\",\"items\":[\(item)],\"version\":2}"
        return try await site.post("/web/queue", body, secret: secret).text
    }

    private func refusal(_ code: ErrorCode, field: String? = nil) throws -> TransportResponse {
        let problem = Problem(code, detail: "No.", field: field, requestID: "x")
        return TransportResponse(status: code.status, body: try WireJSON.encoder().encode(problem))
    }

    private func answer(isActive: Bool) throws -> TransportResponse {
        let start = Date(timeIntervalSince1970: 1_772_366_400)
        let alert = AlertRecord(
            id: id, startTime: start, endTime: isActive ? nil : start,
            userId: "\(TestHost.ada.userID)",
            isActive: isActive, kind: .manual)
        return TransportResponse(status: 200, body: try WireJSON.encoder().encode(alert))
    }

    @Test func refusedCheckInHasReason() async throws {
        let text = try await report(
            "checkIn", "/v1/check-ins/\(id)", refusal(.invalidArgument, field: "occurredAt"))
        let reason =
            "The time of this check-in can’t be right. "
            + "Check the date and time of this device, then check in again."
        let refused = #"[{"id":"\#(id)","reason":"\#(reason)"}]"#
        #expect(text == #"{"delivered":[],"on":[],"refused":\#(refused)}"#)
    }

    @Test(arguments: [
        ErrorCode.unauthenticated, .rateLimited, .unavailable, .alreadyExists, .permissionDenied,
        .unknown,
    ])
    func retriedItemIsNotListed(code: ErrorCode) async throws {
        let text = try await report("checkIn", "/v1/check-ins/\(id)", refusal(code))
        #expect(text == #"{"delivered":[],"on":[],"refused":[]}"#)
    }

    @Test(arguments: [true, false])
    func onlyOpenAlertIsListedAsOn(isActive: Bool) async throws {
        let text = try await report("alert", "/v1/alerts/\(id)", answer(isActive: isActive))
        let on = isActive ? "\"\(id)\"" : ""
        #expect(text == #"{"delivered":["\#(id)"],"on":[\#(on)],"refused":[]}"#)
    }

    @Test(arguments: [ErrorCode.alreadyExists, .permissionDenied, .unknown])
    func endWithoutReasonIsRetried(code: ErrorCode) async throws {
        site.host.state.withLock { [id, refusal] in
            $0.answers["/v1/alerts/\(id)/end"] = try? refusal(code, nil)
        }
        let open = try answer(isActive: true)
        let text = try await report("alert", "/v1/alerts/\(id)", open, ended: true)
        #expect(text == #"{"delivered":[],"on":[],"refused":[]}"#)
    }

    @Test func refusedEndHasReason() async throws {
        site.host.state.withLock { [id, refusal] in
            $0.answers["/v1/alerts/\(id)/end"] = try? refusal(.notFound, nil)
        }
        let open = try answer(isActive: true)
        let text = try await report("alert", "/v1/alerts/\(id)", open, ended: true)
        #expect(
            text.contains(#""refused":[{"id":"\#(id)","reason":"This alert is no longer there"#))
    }

    /// A later journey has replaced the journey, possibly after a lost answer to this press.
    @Test(arguments: ["arrival", "return"])
    func pressAboutGoneJourneyIsDelivered(press: String) async throws {
        let text = try await report(aboutJourney: press, .notFound)
        #expect(text == #"{"delivered":["\#(id)"],"on":[],"refused":[]}"#)
    }

    @Test(
        arguments: ["arrival", "return"],
        [ErrorCode.unauthenticated, .rateLimited, .unavailable, .permissionDenied, .unknown])
    func otherwiseRefusedPressAboutJourneyIsRetried(press: String, code: ErrorCode) async throws {
        let text = try await report(aboutJourney: press, code)
        #expect(text == #"{"delivered":[],"on":[],"refused":[]}"#)
    }

    /// An arrival that was pressed before may have ended the journey, so no one watches any more.
    @Test(arguments: [true, false])
    func laterReturnOfAnEndedJourneyIsRefused(isOver: Bool) async throws {
        let noon = Date(timeIntervalSince1970: 1_772_366_400)
        var profile = UserProfile(
            id: TestHost.ada.userID, name: "Ada", phoneNumber: try PhoneNumber("+15550100"),
            emergencyNote: "", profilePictureURL: nil, settings: .standard, lastCheckInTime: nil,
            nextCheckInTime: nil, status: .active, createdAt: noon)
        if !isOver {
            profile.journey = JourneyRecord(
                id: try #require(JourneyID(id)), name: "Zugspitze", startTime: noon,
                expectedReturn: noon.adding(.hours(1)))
        }
        let answer = TransportResponse(status: 200, body: try WireJSON.encoder().encode(profile))
        let text = try await report(
            "journey", "/v1/journeys/\(id)/return", answer,
            fields: #","journey":"\#(id)","back":"2026-03-01T13:00:00.000Z""#)
        let refused = #"[{"id":"\#(id)","reason":"This journey is over."}]"#
        #expect(
            text
                == (isOver
                    ? #"{"delivered":[],"on":[],"refused":\#(refused)}"#
                    : #"{"delivered":["\#(id)"],"on":[],"refused":[]}"#))
    }

    private func report(aboutJourney press: String, _ code: ErrorCode) async throws -> String {
        let back = press == "return" ? #","back":"2026-03-01T13:00:00.000Z""# : ""
        return try await report(
            "journey", "/v1/journeys/\(id)/\(press)", refusal(code),
            fields: #","journey":"\#(id)"\#(back)"#)
    }
}
