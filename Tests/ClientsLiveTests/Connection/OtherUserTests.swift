import API
import Domain
import Foundation
import Synchronization
import Testing

@testable import ClientsLive

/// Another user signs in while a call of the first user is in flight.
@Suite(.timeLimit(.minutes(5))) struct OtherUserTests {
    private func connection(_ transport: any Transport, _ store: any TokenStore) -> Connection {
        Connection(transport: transport, store: store, clock: EagerClock().client, random: { 0 })
    }

    @Test func callIsNotRetriedAsAnotherUser() async throws {
        let present = Mutex<Connection?>(nil)
        let transport = FakeTransport { _, number in
            guard number == 1 else { return TransportResponse(status: 204) }
            try await present.withLock { $0 }?.adopt(.stage(1, session: 2))
            return try .problem(.unavailable)
        }
        let connection = connection(transport, MemoryTokenStore(.stage(1)))
        present.withLock { $0 = connection }
        await #expect(throws: ClientFailure.sessionEnded) { try await connection.deleteAccount() }
        #expect(transport.requests.map(\.token) == ["access-1-1"])
    }

    @Test func actionIsNotSentAsAnotherUser() async throws {
        let transport = FakeTransport { _, _ in TransportResponse(status: 204) }
        let connection = connection(transport, MemoryTokenStore(.stage(1)))
        let ofTheFirst = connection.bound(to: id(1))
        try await ofTheFirst.call(Routes.readAllNotifications)
        try await connection.adopt(.stage(1, session: 2))
        await #expect(throws: ClientFailure.sessionEnded) {
            try await ofTheFirst.call(Routes.readAllNotifications)
        }
        await #expect(throws: ClientFailure.sessionEnded) {
            try await ofTheFirst.open(Routes.events, headers: [:])
        }
        #expect(transport.requests.map(\.token) == ["access-1-1"])
    }

    /// The disk is slow to store the first user's renewed tokens. The next start must still find
    /// the second user's tokens.
    @Test func lateStoredRenewalDoesNotRestoreFirstUser() async throws {
        let (sessions, store) = (FakeSessions(), SlowStore(.stage(0), slow: .stage(1)))
        let transport = FakeTransport { request, _ in
            if request.path == Routes.refresh.endpoint.path { return try sessions.refresh(request) }
            guard sessions.isGood(request.token) else { return try .problem(.unauthenticated) }
            return TransportResponse(status: 204)
        }
        let connection = connection(transport, store)
        let call = Task { try await connection.call(Routes.readAllNotifications) }
        await store.isSaving()
        try await connection.adopt(.stage(1, session: 2))
        store.goOn()
        _ = await call.result
        #expect(store.load() == .stage(1, session: 2))
    }

    /// In a public network, a proxy answers 401 until the user has signed in to the network.
    @Test func proxyRefusalDoesNotSignOut() async throws {
        let store = MemoryTokenStore(.stage(1))
        let transport = FakeTransport { _, _ in
            TransportResponse(status: 401, body: Data("<html>Welcome to the hotel</html>".utf8))
        }
        await #expect(throws: ClientFailure.malformedAnswer) {
            try await connection(transport, store).call(Routes.readAllNotifications)
        }
        #expect(store.load() == .stage(1))
    }

    private final class SlowStore: TokenStore {
        private let inner: MemoryTokenStore
        private let slow: SessionTokens
        private let begun = AsyncStream.makeStream(of: Void.self)
        private let released = AsyncStream.makeStream(of: Void.self)

        init(_ tokens: SessionTokens, slow: SessionTokens) {
            inner = MemoryTokenStore(tokens)
            self.slow = slow
        }

        func load() -> SessionTokens? { inner.load() }

        func save(_ tokens: SessionTokens) async {
            if tokens == slow {
                begun.continuation.finish()
                for await _ in released.stream {}
            }
            inner.save(tokens)
        }

        func delete() { inner.delete() }
        func isSaving() async { for await _ in begun.stream {} }
        func goOn() { released.continuation.finish() }
    }
}
