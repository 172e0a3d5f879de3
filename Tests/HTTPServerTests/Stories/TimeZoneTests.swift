import API
import Domain
import Foundation
import Testing

@testable import HTTPServer

@Suite struct TimeZoneTests {
    let server: TestServer
    let ada, ben: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada", number: "+4915100000001")
        ben = try await server.person("Ben", number: "+4915100000002")
        try await server.connect(responder: ben, dependent: ada)
    }

    private func newestBody() async throws -> String? {
        try await server.call(Routes.raiseAlert, id: "\(id(1) as AlertID)", by: ada)
        return try await server.call(Routes.notifications, by: ben).items.first?.body
    }

    @Test(arguments: [
        ("Asia/Kathmandu", "17:45 UTC+5:45"), ("Foo/Bar", "12:00 UTC"), ("", "12:00 UTC"),
        (String(repeating: "x/", count: 1_000), "12:00 UTC"),
    ])
    func headerSetsTheUsersTimeZone(zone: String, time: String) async throws {
        let answer = try await server.send(
            "GET", "/v1/me", token: ben.token, headers: [Endpoint.timeZone: zone])
        #expect(answer.status == 200)
        #expect(
            try await newestBody()
                == """
                Ada raised an alert at \(time). Emergency number where Ada's phone is registered: \
                112.
                """)
    }

    @Test(arguments: ["Asia/Kathmandu", "Foo/Bar", nil])
    func profileHasTheTimeZoneOfItsOwnRequest(zone: String?) async throws {
        let headers = zone.map { [Endpoint.timeZone: $0] } ?? [:]
        let answer = try await server.send("GET", "/v1/me", token: ben.token, headers: headers)
        #expect(answer.status == 200)
        #expect(answer.text.contains("Kathmandu") == (zone == "Asia/Kathmandu"))
        #expect(!answer.text.contains("Foo"))
    }

    @Test func rejectedRequestDoesNotSetTheTimeZone() async throws {
        let answer = try await server.send(
            "GET", "/v1/alerts/none", token: ben.token,
            headers: [Endpoint.timeZone: "Asia/Kathmandu"])
        #expect(answer.status >= 400)
        #expect(try await newestBody()?.contains("12:00 UTC") == true)
    }

    /// A device that only checks in reports its zone, too. A refused check-in reports nothing.
    @Test(arguments: [(true, 200, "17:45 UTC+5:45"), (false, 422, "12:00 UTC")])
    func checkInSetsTheTimeZone(isValid: Bool, status: Int, time: String) async throws {
        let body = isValid ? #"{"occurredAt":"\#(Timestamp.text(noon))"}"# : "{}"
        let answer = try await server.send(
            "PUT", "/v1/check-ins/\(id(1) as CheckInID)", .json(body), token: ben.token,
            headers: [Endpoint.timeZone: "Asia/Kathmandu"])
        #expect(answer.status == status, "\(answer.text)")
        #expect(try await newestBody()?.contains(time) == true)
    }

    @Test func accountDeletionWithATimeZoneSucceeds() async throws {
        let answer = try await server.send(
            "DELETE", "/v1/me", token: ben.token, headers: [Endpoint.timeZone: "Asia/Kathmandu"])
        #expect(answer.status == 204)
    }
}
