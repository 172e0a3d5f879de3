import API
import Clients
import Domain
import Foundation
import Synchronization
import TestApp
import Testing

@testable import ClientsLive

@Suite struct AppPushTests {
    let app: TestApp
    let token = String(repeating: "0a", count: 32)

    init() throws { app = try TestApp(.memory) }

    @Test func serverWithoutAPNsKeyRefusesRegistration() async throws {
        let home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        let error = await refusal {
            try await home.clients.registerApp(token: token, in: .sandbox)
        }
        #expect(error?.code == "invalid-argument")
        #expect(try await app.count("SELECT COUNT(*) FROM devices") == 0)
        await home.clients.stop()
    }

    @Test func addedWebhookIsNotTheEndpointOfTheDevice() async throws {
        let home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        let client = home.values.notificationClient
        let own = try #require(URL(string: "https://push.example/ada"))
        try await client.registerPushEndpoint(url: own)
        let added = try await client.addWebhook(
            webhook: try Webhook(
                url: "https://ntfy.sh/topic", template: .ntfy, token: "tk_1",
                allowsPlainHTTP: false))
        #expect(added.signingSecret == nil)
        try await client.registerPushEndpoint(url: own)
        let list = try await client.pushEndpoints()
        #expect(list.count == 2)
        #expect(list.first { $0.id == added.id }?.template == .ntfy)
        let signed = try await client.addWebhook(
            webhook: Webhook(url: try #require(URL(string: "https://example.org/hook"))))
        #expect(signed.signingSecret?.hasPrefix("whsec_") == true)
        try await client.removePushEndpoint(id: added.id)
        #expect(try await client.pushEndpoints().count { $0.id == added.id } == 0)
        #expect(try await app.count("SELECT COUNT(*) FROM devices") == 2)
        await home.clients.stop()
    }

    /// A person sets up a new phone from a backup of the old one, which stays in use.
    @Test func signInTakesNoEndpointOfAnotherDevice() async throws {
        let old = try Home(in: app)
        try await old.signIn("+15550100001", in: app)
        func register(_ name: String, on home: Home) async throws {
            try await home.values.notificationClient.registerPushEndpoint(
                url: try #require(URL(string: "https://push.example/\(name)")))
        }
        try await register("old", on: old)
        await old.clients.stop()
        let new = try Home(in: app, folder: old.folder)
        try await new.signIn("+15550100001", in: app)
        try await register("new", on: new)
        #expect(try await app.count("SELECT COUNT(*) FROM devices") == 2)
        await new.clients.stop()
        let later = try Home(in: app, folder: new.folder, tokens: new.tokens)
        try await later.clients.start()
        try await register("newer", on: later)
        #expect(try await app.count("SELECT COUNT(*) FROM devices") == 2)
        await later.clients.stop()
    }

    @Test func newTokenReusesTheEndpointID() async throws {
        let sessions = FakeSessions(stage: 1)
        let transport = FakeTransport { request, _ in
            guard sessions.isGood(request.token) else { return try .problem(.unauthenticated) }
            guard request.path.hasPrefix("/v1/devices/") else { return try .problem(.notFound) }
            guard request.method == .put else { return TransportResponse(status: 204) }
            return try .json(PushEndpointResponse(.known(at: request.path)))
        }
        let clients = LiveClients(
            transport: transport, tokens: MemoryTokenStore(.stage(1)), storage: .session,
            options: .init(deviceName: "Phone"))
        try await clients.start()
        let first = try await clients.registerApp(token: token, in: .sandbox)
        let second = try await clients.registerApp(token: "0b" + token.dropFirst(2), in: .sandbox)
        #expect(first == second)
        let sent = transport.requests.filter { $0.method == .put }
        let bodies = try sent.map {
            try WireJSON.decoder().decode(PushEndpointRequest.self, from: $0.body)
        }
        #expect(bodies.map(\.kind) == [.apns, .apns])
        #expect(bodies.first?.token == token && bodies.first?.environment == .sandbox)
        #expect(sent.allSatisfy { $0.path == "/v1/devices/\(first)" })
        await clients.forgetPushEndpoint()
        #expect(transport.requests.last { $0.method == .delete }?.path == "/v1/devices/\(first)")
        await clients.stop()
    }

    /// The server may have the endpoint although its answer was lost.
    @Test func endpointOfALostAnswerIsRemoved() async throws {
        let sessions = FakeSessions(stage: 1)
        let transport = FakeTransport { request, _ in
            guard sessions.isGood(request.token) else { return try .problem(.unauthenticated) }
            guard request.path.hasPrefix("/v1/devices/") else { return try .problem(.notFound) }
            guard request.method == .delete else { throw ClientFailure.unreachable(.interrupted) }
            return TransportResponse(status: 204)
        }
        var options = LiveClients.Options(deviceName: "Phone")
        options.connection.retry = .once
        let clients = LiveClients(
            transport: transport, tokens: MemoryTokenStore(.stage(1)), storage: .session,
            options: options)
        try await clients.start()
        let error = await refusal { try await clients.registerApp(token: token, in: .sandbox) }
        #expect(error?.code == "unreachable")
        await clients.forgetPushEndpoint()
        let sent = transport.requests.filter { $0.path.hasPrefix("/v1/devices/") }
        #expect(sent.map(\.method) == [.put, .delete])
        #expect(Set(sent.map(\.path)).count == 1)
        await clients.stop()
    }

    /// The person has turned messages off without a connection.
    @Test func failedRemovalIsRepeated() async throws {
        let sessions = FakeSessions(stage: 1)
        let isOffline = Mutex(true)
        let transport = FakeTransport { request, _ in
            guard sessions.isGood(request.token) else { return try .problem(.unauthenticated) }
            guard request.path.hasPrefix("/v1/devices/") else { return try .problem(.notFound) }
            guard request.method == .put else {
                guard !isOffline.withLock({ $0 }) else {
                    throw ClientFailure.unreachable(.offline)
                }
                return TransportResponse(status: 204)
            }
            return try .json(PushEndpointResponse(.known(at: request.path)))
        }
        let clients = LiveClients(
            transport: transport, tokens: MemoryTokenStore(.stage(1)), storage: .session,
            options: .init(deviceName: "Phone"))
        try await clients.start()
        func removals() -> Int { transport.requests.count { $0.method == .delete } }
        await clients.forgetPushEndpoint()
        #expect(removals() == 0)
        _ = try await clients.registerApp(token: token, in: .sandbox)
        await clients.forgetPushEndpoint()
        #expect(removals() == 1)
        isOffline.withLock { $0 = false }
        await clients.forgetPushEndpoint()
        #expect(removals() == 2)
        await clients.forgetPushEndpoint()
        #expect(removals() == 2)
        await clients.stop()
    }
}

extension PushEndpoint {
    fileprivate static func known(at path: String) throws -> PushEndpoint {
        let id = try #require(PushEndpointID(String(path.dropFirst("/v1/devices/".count))))
        let url = try #require(URL(string: "apns://sandbox/0a"))
        return PushEndpoint(id: id, kind: .apns, url: url, createdAt: noon)
    }
}
