import API
import Domain
import Foundation
import Persistence
import Testing

@testable import HTTPServer

@Suite struct EndpointListTests {
    private let server: TestServer
    private let ada: Person
    private let url: URL

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada", number: "+4915100000001")
        url = try #require(URL(string: "https://example.org/hook?key=secret"))
        _ = try await server.network.endpoints.savePushEndpoint(
            id(9), kind: .webhook, url: url, of: ada.caller)
    }

    private func fail(at time: Date) async throws -> EndpointNews? {
        try await server.database.write(about: .none) { [ada, url, server] transaction in
            var failure = EndpointFailure(.http(404), url: url, attempts: 1, at: time)
            (failure.isGone, failure.isFinal) = (true, true)
            let news = try transaction.noteEndpointFailure(id(9), of: ada.id, failure)
            guard let news else { return nil }
            let notice = EndpointNotice(news: news, userID: ada.id, url: url, reason: .http(404))
            try server.network.endpoints.notifyOwner(notice, in: transaction)
            return news
        }
    }

    @Test func listShowsTheStateOfEachEndpoint() async throws {
        let devices = try await server.call(Routes.pushEndpoints, by: ada).items
        #expect(devices.map(\.id) == [id(9)])
        #expect(devices.first?.failingSince == nil)
        let now = server.clock.now()
        #expect(try await fail(at: now) == .gone)
        let failing = try #require(try await server.call(Routes.pushEndpoints, by: ada).items.first)
        #expect(failing.failingSince == now && failing.lastFailure == "http-404")
        let ben = try await server.person("Ben", number: "+4915100000002")
        #expect(try await server.call(Routes.pushEndpoints, by: ben).items == [])
    }

    @Test func failureNoticeToTheOwnerNamesOnlyTheHost() async throws {
        _ = try await fail(at: server.clock.now())
        _ = try await fail(at: server.clock.now().adding(.days(7)))
        let items = try await server.network.notifications.notifications(
            of: ada.caller, page: .init())
        #expect(
            Set(items.map(\.title)) == [
                "A webhook was added", "Your webhook does not work", "Your webhook was removed",
            ])
        #expect(items.allSatisfy { $0.type == .system && $0.body.contains("example.org") })
        #expect(items.allSatisfy { !$0.body.contains("secret") })
        #expect(try await server.call(Routes.pushEndpoints, by: ada).items == [])
    }

    @Test func testGoesOnlyToItsEndpoint() async throws {
        _ = try await server.network.endpoints.savePushEndpoint(
            id(8), kind: .webhook, url: url, of: ada.caller)
        try await server.call(
            Routes.testPushEndpoint, id: "\(id(8) as PushEndpointID)", by: ada)
        let made: [PushEndpointID] = try await server.database.read {
            try $0.values("SELECT device_id FROM deliveries WHERE purpose = 'test'", [])
        }
        #expect(made == [id(8)])
        let told = try await server.call(Routes.notifications, by: ada).items
            .filter { $0.title != "A webhook was added" }
        #expect(told.map(\.title) == ["Test: messages arrive here"])
        #expect(told.allSatisfy { $0.readAt != nil })
    }

    @Test func endpointTestsAreLimitedPerMinuteAndHour() async throws {
        for number in [7, 8] as [UInt8] {
            _ = try await server.network.endpoints.savePushEndpoint(
                id(number), kind: .webhook, url: url, of: ada.caller)
        }
        func test(_ number: UInt8, by person: Person? = nil) async throws -> Answer {
            try await server.send(
                "POST", "/v1/devices/\(id(number) as PushEndpointID)/test",
                token: (person ?? ada).token)
        }
        #expect(try await test(8).status == 204)
        // A test message counts even after its notification has been deleted.
        try await server.network.notifications.deleteAllNotifications(of: ada.caller)
        let refused = try await test(8)
        #expect(refused.status == 429 && refused.headers[.retryAfter] == "60")
        #expect(try await test(7).status == 204)
        for _ in 1..<10 {
            server.clock.advance(by: .minutes(1))
            for number in [7, 8] as [UInt8] { #expect(try await test(number).status == 204) }
        }
        server.clock.advance(by: .minutes(1))
        #expect(try await test(7).headers[.retryAfter] == "\(50 * 60)")
        server.clock.advance(by: .minutes(50))
        let again = try await server.signIn("+4915100000001")
        #expect(try await test(7, by: again).status == 204)
    }

    @Test func foreignEndpointCannotBeTested() async throws {
        let ben = try await server.person("Ben", number: "+4915100000002")
        let answer = try await server.send(
            "POST", "/v1/devices/\(id(9) as PushEndpointID)/test", token: ben.token)
        #expect(answer.status == 404)
        let made: [PushEndpointID] = try await server.database.read {
            try $0.values("SELECT device_id FROM deliveries WHERE device_id IS NOT NULL", [])
        }
        #expect(made.isEmpty)
    }
}
