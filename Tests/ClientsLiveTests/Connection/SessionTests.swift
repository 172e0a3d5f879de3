import API
import Domain
import Foundation
import Synchronization
import Testing

@testable import ClientsLive

@Suite(.timeLimit(.minutes(5))) struct SessionTests {
    func transport(_ sessions: FakeSessions) -> FakeTransport {
        FakeTransport { request, _ in
            if request.path == Routes.refresh.endpoint.path { return try sessions.refresh(request) }
            guard sessions.isGood(request.token) else { return try .problem(.unauthenticated) }
            return TransportResponse(status: 204)
        }
    }

    func connection(_ transport: any Transport, _ store: any TokenStore) -> Connection {
        Connection(transport: transport, store: store, clock: ManualClock().client, random: { 0 })
    }

    func ended(_ connection: Connection) async -> SessionID? {
        var iterator = connection.endedSessions.makeAsyncIterator()
        return await iterator.next()
    }

    @Test func fiftyCallsRenewOnce() async throws {
        let (sessions, store) = (FakeSessions(), MemoryTokenStore(.stage(0)))
        let transport = transport(sessions)
        let connection = connection(transport, store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { try await connection.call(Routes.readAllNotifications) }
            }
            try await group.waitForAll()
        }
        #expect(sessions.refreshes == 1)
        #expect(!sessions.isOver)
        #expect(store.load() == .stage(1))
    }

    @Test func endedSessionIsReportedOnceForAllCalls() async throws {
        let (sessions, store) = (FakeSessions(), MemoryTokenStore(.stage(0)))
        sessions.end()
        let connection = connection(transport(sessions), store)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await #expect(throws: ClientFailure.sessionEnded) {
                        try await connection.call(Routes.readAllNotifications)
                    }
                }
            }
        }
        #expect(sessions.refreshes == 1)
        #expect(store.load() == nil)
        #expect(await ended(connection) == id(1))
        // The first end was reported only once, so the next element is the end of the second
        // session.
        try await connection.adopt(.stage(3, session: 2))
        await #expect(throws: ClientFailure.sessionEnded) {
            try await connection.call(Routes.readAllNotifications)
        }
        #expect(await ended(connection) == id(2))
    }

    @Test func newTokensAreStoredBeforeTheyAreUsed() async throws {
        let sessions = FakeSessions()
        let store = ScriptedStore(.stage(0))
        let transport = FakeTransport { request, _ in
            if request.path == Routes.refresh.endpoint.path { return try sessions.refresh(request) }
            guard sessions.isGood(request.token) else { return try .problem(.unauthenticated) }
            #expect(store.load() == .stage(1))
            return TransportResponse(status: 204)
        }
        try await connection(transport, store).call(Routes.readAllNotifications)
        #expect(store.saved == [.stage(1)])
    }

    @Test func failingDiskDoesNotBlockCalls() async throws {
        let sessions = FakeSessions()
        let store = ScriptedStore(.stage(0), failures: 2)
        let connection = connection(transport(sessions), store)
        try await connection.call(Routes.readAllNotifications)
        #expect(store.load() == .stage(0))
        // Each call first retries to store the tokens.
        try await connection.call(Routes.readAllNotifications)
        #expect(store.load() == .stage(0))
        try await connection.call(Routes.readAllNotifications)
        #expect(store.load() == .stage(1))
        #expect(sessions.refreshes == 1)
    }

    @Test func killBeforeStoringKeepsTheSession() async throws {
        let sessions = FakeSessions()
        let store = ScriptedStore(.stage(0), failures: .max)
        try await connection(transport(sessions), store).call(Routes.readAllNotifications)
        // The process ends here. The next process finds the old tokens.
        sessions.expireAccess()
        let next = MemoryTokenStore(store.load())
        try await connection(transport(sessions), next).call(Routes.readAllNotifications)
        #expect(next.load() == .stage(2))
        #expect(sessions.refreshes == 2 && !sessions.isOver)
    }

    @Test func otherProcessesRenewalIsUsed() async throws {
        let (sessions, store) = (FakeSessions(), MemoryTokenStore(.stage(0)))
        let (one, other) = (
            connection(transport(sessions), store), connection(transport(sessions), store)
        )
        #expect(try await other.signedInUser() == id(1))
        try await one.call(Routes.readAllNotifications)
        try await other.call(Routes.readAllNotifications)
        #expect(sessions.refreshes == 1)
        #expect(!sessions.isOver)
    }

    @Test func signOutInAnotherProcessEndsTheSession() async throws {
        let (sessions, store) = (FakeSessions(), MemoryTokenStore(.stage(0)))
        let connection = connection(transport(sessions), store)
        #expect(try await connection.signedInUser() == id(1))
        store.delete()
        await #expect(throws: ClientFailure.sessionEnded) {
            try await connection.call(Routes.readAllNotifications)
        }
        #expect(sessions.refreshes == 0)
        #expect(store.load() == nil)
        #expect(await ended(connection) == id(1))
    }

    @Test func otherUsersStoredSessionIsKept() async throws {
        let (sessions, store) = (FakeSessions(), MemoryTokenStore(.stage(0)))
        let connection = connection(transport(sessions), store)
        #expect(try await connection.signedInUser() == id(1))
        store.save(.stage(0, session: 2))
        await #expect(throws: ClientFailure.sessionEnded) {
            try await connection.call(Routes.readAllNotifications)
        }
        #expect(sessions.refreshes == 0)
        #expect(store.load() == .stage(0, session: 2))
    }

    @Test func interruptedRenewalKeepsTheSession() async throws {
        let store = MemoryTokenStore(.stage(0))
        let transport = FakeTransport { request, _ in
            if request.path == Routes.refresh.endpoint.path {
                throw ClientFailure.unreachable(.interrupted)
            }
            return try .problem(.unauthenticated)
        }
        let connection = connection(transport, store)
        await #expect(throws: ClientFailure.unreachable(.interrupted)) {
            try await connection.call(Routes.renewQRCode)
        }
        #expect(transport.count(of: "/v1/auth/tokens") == 1)
        #expect(store.load() == .stage(0))
        #expect(try await connection.signedInUser() == id(1))
    }

    @Test func renewalFinishesAfterItsCallIsCancelled() async throws {
        let (sessions, store) = (FakeSessions(), MemoryTokenStore(.stage(0)))
        let (asked, wasAsked) = AsyncStream.makeStream(of: Void.self)
        let (answers, mayAnswer) = AsyncStream.makeStream(of: Void.self)
        let transport = FakeTransport { request, _ in
            guard request.path == Routes.refresh.endpoint.path else {
                guard sessions.isGood(request.token) else { return try .problem(.unauthenticated) }
                return TransportResponse(status: 204)
            }
            wasAsked.yield()
            for await _ in answers { break }
            try Task.checkCancellation()
            return try sessions.refresh(request)
        }
        let connection = connection(transport, store)
        let call = Task { try await connection.call(Routes.readAllNotifications) }
        for await _ in asked { break }
        call.cancel()
        mayAnswer.yield()
        _ = await call.result
        #expect(store.load() == .stage(1))
        try await connection.call(Routes.readAllNotifications)
        #expect(sessions.refreshes == 1)
    }
}
