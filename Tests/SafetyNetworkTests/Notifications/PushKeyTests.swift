import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct PushKeyTests {
    private func another(
        _ server: TestServer, key: UInt8 = 7, acceptsNewKey: Bool = true
    ) throws -> SafetyNetwork {
        var options = server.network.options
        options.acceptsNewKey = acceptsNewKey
        let environment = SafetyNetwork.Environment { _, _ in }
        return SafetyNetwork(
            database: server.engine, options: options,
            key: try #require(ServerKey(bytes: Data(repeating: key, count: 32))),
            environment: environment)
    }

    @Test func firstServerMakesThePushKeyForAll() async throws {
        let server = try TestServer()
        #expect(server.network.pushKey.publicKey == nil)
        try await server.network.serverLife.wake()
        let key = try #require(server.network.pushKey.privateKey)
        for _ in 1...2 {
            let other = try another(server)
            try await other.serverLife.wake()
            #expect(other.pushKey.privateKey?.bytes == key.bytes)
        }
        try await server.network.serverLife.wake()
        #expect(server.network.pushKey.publicKey == key.publicKey.bytes)
        let sealed = try #require(try await server.engine.read { try $0.sealed(.pushKey) })
        #expect(sealed.range(of: key.bytes) == nil)
    }

    @Test func anotherServerKeyMakesANewPushKey() async throws {
        let server = try TestServer()
        try await server.network.serverLife.wake()
        let other = try another(server, key: 8)
        try await other.serverLife.wake()
        #expect(other.pushKey.publicKey != server.network.pushKey.publicKey)
        let third = try another(server, key: 8)
        try await third.serverLife.wake()
        #expect(third.pushKey.publicKey == other.pushKey.publicKey)
    }

    @Test func singleServerDatabaseChecksItsKey() async throws {
        let server = try TestServer()
        try await server.network.serverLife.wake()
        let stranger = try another(server, key: 8, acceptsNewKey: false)
        await #expect(throws: WrongKey.self) { try await stranger.serverLife.wake() }
        try await another(server, key: 7, acceptsNewKey: false).serverLife.wake()
        try await another(server, key: 8).serverLife.wake()
        await #expect(throws: WrongKey.self) {
            try await another(server, key: 7, acceptsNewKey: false).serverLife.wake()
        }
    }

    @Test func newKeyEndsRecoveryCodesAndTellsTheirOwners() async throws {
        let server = try TestServer(hasBystanders: false)
        try await server.network.serverLife.wake()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        func codes() async throws -> Int {
            try await server.engine.read { try $0.recoveryCodes(of: ada.id) }
        }
        func titles(_ person: Person) async throws -> [String] {
            try await server.newsItems(of: person).map(\.title)
        }
        _ = try await server.network.recovery.makeCodes(of: ada.caller)
        for person in [ada, ben] { _ = try await titles(person) }
        // The same key ends nothing.
        try await another(server).serverLife.wake()
        #expect(try await codes() == 10)

        let other = try another(server, key: 8)
        try await other.serverLife.wake()
        #expect(try await codes() == 0)
        #expect(try await titles(ada) == [NotificationText.recoveryCodesEnded.title])
        #expect(try await titles(ben) == [])
        _ = try await other.recovery.makeCodes(of: ada.caller)
        try await another(server, key: 8).serverLife.wake()
        #expect(try await codes() == 10)
    }

    @Test func olderDatabaseAdoptsThePresentKey() async throws {
        let server = try TestServer()
        try await server.network.serverLife.wake()
        try await server.engine.write(about: .none) {
            _ = try $0.execute("DELETE FROM server_state WHERE name = 'keyFingerprint'", [])
        }
        try await another(server, key: 8, acceptsNewKey: false).serverLife.wake()
        await #expect(throws: WrongKey.self) {
            try await another(server, key: 7, acceptsNewKey: false).serverLife.wake()
        }
    }

    @Test func recoveredServerKeyRestoresItsPushKey() async throws {
        let server = try TestServer()
        try await server.network.serverLife.wake()
        let first = try #require(server.network.pushKey.publicKey)
        try await another(server, key: 8).serverLife.wake()
        let found = try another(server, key: 7)
        try await found.serverLife.wake()
        #expect(found.pushKey.publicKey == first)
    }

    @Test func browserWithTheOldKeyIsReported() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let url = try #require(URL(string: "https://push.example.org/secret"))
        var notice = EndpointNotice(
            news: .hasOldKey, userID: ada.id, url: url, reason: .keyChanged)
        notice.kind = .webPush
        try await server.engine.write(about: .none) { [notice] in
            try server.network.endpoints.notifyOwner(notice, in: $0)
        }
        let items = try await server.network.notifications.notifications(
            of: ada.caller, page: .init())
        #expect(items.map(\.title) == ["Open LifeSignal in your browser"])
    }

    @Test func goneBrowserIsReported() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let url = try #require(URL(string: "https://push.example.org/secret"))
        for news in [EndpointNews.ended, .givenUp] {
            var notice = EndpointNotice(
                news: news, userID: ada.id, url: url, reason: .http(410))
            notice.kind = .webPush
            try await server.engine.write(about: .none) { [notice] in
                try server.network.endpoints.notifyOwner(notice, in: $0)
            }
        }
        let items = try await server.network.notifications.notifications(
            of: ada.caller, page: .init())
        #expect(items.map(\.title) == Array(repeating: "A browser gets no more messages", count: 2))
        #expect(items.allSatisfy { !$0.body.contains("push.example") })
    }
}
