import API
import Domain
import Foundation
import Testing

@testable import HTTPServer

@Suite struct PathTests {
    private static let withID = Routes.all.filter { $0.path.contains("{id}") }.map(\.operationID)

    @Test(arguments: withID) func malformedIDNamesItsField(operationID: String) async throws {
        let scene = try await Scene()
        let endpoint = try #require(Routes.all.first { $0.operationID == operationID })
        for wrong in [
            "1", "%00", "00000000-0000-4000-8000-00000000000g", "%F0%9F%98%80",
            "00000000000040008000000000000010", String(repeating: "a", count: 3_000),
        ] {
            let answer = try await scene.call(endpoint, as: .owner, id: wrong)
            #expect(answer.status == 422, "\(wrong.prefix(40))")
            #expect(answer.problem?.field == "id")
        }
    }

    @Test(arguments: withID) func uppercaseIDIsAccepted(operationID: String) async throws {
        let endpoint = try #require(Routes.all.first { $0.operationID == operationID })
        let answer = try await Scene().call(
            endpoint, as: .owner, id: "ABCDEF00-0000-4000-8000-0000000000FF")
        // Olga has an open alert, so the server refuses a drill.
        #expect(
            [endpoint.status, 404].contains(answer.status)
                || answer.problem?.reason == .alertOpen, "\(answer.text)")
    }

    @Test(arguments: [
        ("limit=0", "limit"), ("limit=201", "limit"), ("limit=", "limit"), ("limit=-1", "limit"),
        ("limit=+5", "limit"),
        ("limit=99999999999999999999", "limit"),
        ("limit=ten", "limit"), ("before=", "before"), ("before=x", "before"),
        ("before=1", "before"), ("before=1.x", "before"),
        ("before=9999999999999999.00000000-0000-4000-8000-000000000001", "before"),
    ])
    func malformedPageNamesItsField(query: String, field: String) async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        for path in ["/v1/check-ins", "/v1/pings", "/v1/alerts", "/v1/notifications"] {
            let answer = try await server.send("GET", "\(path)?\(query)", token: ada.token)
            #expect(answer.status == 422)
            #expect(answer.problem?.field == field)
        }
    }

    @Test func openParameterSelectsOpenAlerts() async throws {
        let scene = try await Scene()
        let network = scene.server.network
        let over = try await network.alerts.raiseAlert(id(0x21), by: scene.dan.caller)
        _ = try await network.alerts.endAlert(id(0x21), by: scene.dan.caller)
        _ = try await network.alerts.raiseAlert(id(0x22), by: scene.dan.caller)
        let ids = {
            try await scene.server.call(Routes.alerts, query: $0, by: scene.olga).items.map(\.id)
        }
        let open = ["\(id(0x22) as AlertID)", "\(Scene.alertID)"]
        #expect(try await ids("?open=true") == open)
        for query in ["", "?open=false"] {
            #expect(try await ids(query) == [open[0], over.id, open[1]])
        }

        let first = try await scene.server.call(
            Routes.alerts, query: "?open=true&limit=1", by: scene.olga)
        #expect(first.items.map(\.id) == [open[0]])
        let next = try #require(first.next)
        #expect(try await ids("?open=true&limit=1&before=\(next)") == [open[1]])
        for wrong in ["", "1", "TRUE", "yes", "%00"] {
            let answer = try await scene.server.send(
                "GET", "/v1/alerts?open=\(wrong)", token: scene.olga.token)
            #expect(answer.status == 422)
            #expect(answer.problem?.field == Endpoint.onlyOpen)
        }
    }

    @Test(arguments: ["readAllNotifications", "deleteAllNotifications"])
    func untilMustBeATime(operation: String) async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        let endpoint = try #require(Routes.all.first { $0.operationID == operation })
        let send = { (time: String) in
            try await server.send(
                endpoint.method.rawValue, "\(endpoint.path)?until=\(time)", token: ada.token)
        }
        #expect(try await send("2026-01-31T08:00:00.000Z").status == 204)
        for wrong in ["", "1", "yesterday", "1999-12-31T23:59:59.999Z"] {
            let answer = try await send(wrong)
            #expect(answer.status == 422)
            #expect(answer.problem?.field == Endpoint.until)
        }
    }

    @Test func pagesHaveNoGapsAndNoDuplicates() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        for number in 1...7 as ClosedRange<UInt8> {
            // Three of the check-ins have the same time.
            if number > 3 { server.clock.advance(by: .seconds(1)) }
            try await server.call(
                Routes.checkIn, CheckInRequest(occurredAt: server.clock.now()),
                id: "\(id(number) as CheckInID)", by: ada)
        }
        var seen: [CheckInID] = []
        var next: String?
        repeat {
            let page = try await server.call(
                Routes.checkIns, query: "?limit=2" + (next.map { "&before=\($0)" } ?? ""), by: ada)
            seen += page.items.map(\.id)
            next = page.next
        } while next != nil && seen.count < 20
        #expect(seen.count == 7)
        #expect(Set(seen) == Set((1...7).map { id($0) }))
        #expect(seen.prefix(4) == [id(7), id(6), id(5), id(4)])
        #expect(try await server.call(Routes.checkIns, query: "?limit=200", by: ada).next == nil)
    }
}
