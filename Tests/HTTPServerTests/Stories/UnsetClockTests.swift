import API
import Domain
import Foundation
import Testing

@testable import HTTPServer

/// A device whose clock starts in 1970 (product.md, "Check-in").
@Suite struct UnsetClockTests {
    let server: TestServer
    let ada: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada", number: "+4915100000001")
    }

    private func send(
        _ method: String, _ path: String, _ field: String, sentAt: String?
    ) async throws -> Answer {
        try await server.send(
            method, path, .json(#"{"\#(field)":"1970-01-01T00:00:05.000Z"}"#), token: ada.token,
            headers: sentAt.map { [Endpoint.sentAt: $0] } ?? [:])
    }

    @Test func checkInCountsBackFromItsReceipt() async throws {
        let path = "/v1/check-ins/\(id(1) as CheckInID)"
        let refused = try await send("PUT", path, "occurredAt", sentAt: nil)
        #expect(refused.status == 422 && refused.problem?.field == "occurredAt")
        let answer = try await send(
            "PUT", path, "occurredAt", sentAt: "1970-01-01T00:00:15.000Z")
        #expect(answer.status == 200, "\(answer.text)")
        let record = try StrictJSON.decode(CheckInRecord.self, from: answer.body)
        #expect(record.occurredAt == server.clock.now().adding(.seconds(-10)))
    }

    @Test func endEndsNoNewerAlert() async throws {
        let alert = try await server.call(Routes.raiseAlert, id: "\(id(1) as AlertID)", by: ada)
        let path = "/v1/alerts/\(alert.id)/end"
        for (sentAt, isActive) in [
            (nil, true), ("1970-01-01T00:00:15.000Z", true), ("1970-01-01T00:00:05.000Z", false),
        ] as [(String?, Bool)] {
            let answer = try await send("POST", path, "pressedAt", sentAt: sentAt)
            #expect(answer.status == 200, "\(answer.text)")
            let record = try StrictJSON.decode(AlertRecord.self, from: answer.body)
            #expect(record.isActive == isActive)
        }
    }
}
