import API
import Domain
import Foundation
import Synchronization
import TestApp
import Testing

@testable import ClientsLive

/// The real server's answers get lost on the way.
@Suite(.timeLimit(.minutes(5))) struct LostAnswerTests {
    /// Returns a transport that loses the first answers to renewals. The server has then renewed
    /// the tokens, but the device doesn't know that.
    private func losing(_ count: Int, _ app: TestApp) -> HookedTransport {
        let lost = (0..<count).map { _ in Flag() }
        var transport = HookedTransport(transport: app.transport)
        transport.before = { [line = app.transport] request in
            guard request.path == Routes.refresh.endpoint.path, lost.contains(where: { $0.raise() })
            else { return nil }
            _ = try await line.send(request)
            throw ClientFailure.unreachable(.interrupted)
        }
        return transport
    }

    @Test(arguments: [1, 3]) func lostRenewalAnswerKeepsTheSession(count: Int) async throws {
        let app = try TestApp(.memory)
        let ana = try await app.person("Ana", "+15550100001")
        let connection = Connection(
            transport: losing(count, app), store: ana.store, clock: EagerClock().client,
            random: { 0 })
        app.time.pass(.minutes(16))
        #expect(try await connection.call(Routes.profile).name == "Ana")
        app.time.pass(.minutes(16))
        #expect(try await connection.call(Routes.profile).name == "Ana")
        #expect(try await app.count("SELECT COUNT(*) FROM sessions") == 1)
        #expect(try await app.count("SELECT COUNT(*) FROM used_refresh_tokens") == 0)
    }

    /// The first attempt reaches the server after the second was answered, as after a change of
    /// network.
    @Test func lateRenewalKeepsTheSession() async throws {
        let app = try TestApp(.memory)
        let ana = try await app.person("Ana", "+15550100001")
        let first = Flag()
        let late = Mutex<TransportRequest?>(nil)
        var transport = HookedTransport(transport: app.transport)
        transport.before = { request in
            guard request.path == Routes.refresh.endpoint.path, first.raise() else { return nil }
            late.withLock { $0 = request }
            throw ClientFailure.unreachable(.interrupted)
        }
        let connection = Connection(
            transport: transport, store: ana.store, clock: EagerClock().client, random: { 0 })
        app.time.pass(.minutes(16))
        #expect(try await connection.call(Routes.profile).name == "Ana")
        let request = try #require(late.withLock { $0 })
        #expect(try await app.transport.send(request).status == 200)
        #expect(try await connection.call(Routes.profile).name == "Ana")
        app.time.pass(.minutes(16))
        #expect(try await connection.call(Routes.profile).name == "Ana")
        #expect(try await app.count("SELECT COUNT(*) FROM sessions") == 1)
    }

    /// A call that can't be repeated fails, but the session continues.
    @Test func nonRepeatableCallFailsAndNextWorks() async throws {
        let app = try TestApp(.memory)
        let ana = try await app.person("Ana", "+15550100001")
        let connection = Connection(
            transport: losing(1, app), store: ana.store, clock: EagerClock().client, random: { 0 })
        app.time.pass(.minutes(16))
        await #expect(throws: ClientFailure.unreachable(.interrupted)) {
            try await connection.call(Routes.renewQRCode)
        }
        _ = try await connection.call(Routes.renewQRCode)
        #expect(try await connection.signedInUser() == ana.id)
    }
}
