import API
import Domain
import Foundation
import Synchronization
import Testing

@testable import ClientsLive

/// Tokens that expire, are renewed once, and end.
@Suite(.timeLimit(.minutes(5))) struct SessionTests {
    /// A server whose session this is: an old access token is refused.
    private func transport(_ sessions: FakeSessions) -> FakeTransport {
        FakeTransport { request, _ in
            if request.path == Routes.refresh.endpoint.path { return try sessions.refresh(request) }
            guard sessions.isGood(request.token) else { return try .problem(.unauthenticated) }
            return TransportResponse(status: 204)
        }
    }

    private func connection(_ transport: any Transport, _ store: any TokenStore) -> Connection {
        Connection(transport: transport, store: store, clock: ManualClock().client, random: { 0 })
    }

    private func ended(_ connection: Connection) async -> SessionID? {
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

    @Test func aSessionThatIsOverEndsOnceForAllCalls() async throws {
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
        // Once: the next thing on the stream is the end of the next session.
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

    @Test func aDiskThatRefusesKeepsNobodyFromCallingForHelp() async throws {
        let sessions = FakeSessions()
        let store = ScriptedStore(.stage(0), failures: 2)
        let connection = connection(transport(sessions), store)
        try await connection.call(Routes.readAllNotifications)
        #expect(store.load() == .stage(0))
        // Each call tries to store them first.
        try await connection.call(Routes.readAllNotifications)
        #expect(store.load() == .stage(0))
        try await connection.call(Routes.readAllNotifications)
        #expect(store.load() == .stage(1))
        #expect(sessions.refreshes == 1)
    }

    @Test func killedBetweenAnswerAndStoreThePersonStaysSignedIn() async throws {
        let sessions = FakeSessions()
        let store = ScriptedStore(.stage(0), failures: .max)
        try await connection(transport(sessions), store).call(Routes.readAllNotifications)
        // The process dies here; the next one finds the tokens from before.
        sessions.expireAccess()
        let next = MemoryTokenStore(store.load())
        try await connection(transport(sessions), next).call(Routes.readAllNotifications)
        #expect(next.load() == .stage(2))
        #expect(sessions.refreshes == 2 && !sessions.isOver)
    }

    @Test func whatAnotherProcessHasRenewedIsTaken() async throws {
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

    @Test func whoSignedOutInAnotherProcessStaysSignedOut() async throws {
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

    @Test func aSessionOfSomebodyElseInTheSameStoreIsLeftAlone() async throws {
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

    @Test func anAnswerThatWasLostKeepsTheSession() async throws {
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

    @Test func aRenewalIsFinishedThoughItsCallIsCancelled() async throws {
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

    @Test func aWrongCodeForANewNumberEndsNoSession() async throws {
        let (sessions, store) = (FakeSessions(stage: 1), MemoryTokenStore(.stage(1)))
        let transport = numberTransport(sessions)
        let connection = connection(transport, store)
        do {
            _ = try await connection.call(
                Routes.changePhoneNumber,
                PhoneNumberRequest(phoneNumber: "+15550100", code: "000000"))
        } catch let failure as ClientFailure {
            #expect(failure.code == .unauthenticated)
        }
        #expect(transport.count(of: "/v1/me/phone-number") == 1)
        #expect(sessions.refreshes == 0)
        #expect(store.load() == .stage(1))
    }

    @Test func anOldTokenCostsNoTryOfTheCode() async throws {
        let (sessions, store) = (FakeSessions(), MemoryTokenStore(.stage(0)))
        let transport = numberTransport(sessions)
        do {
            _ = try await connection(transport, store).call(
                Routes.changePhoneNumber,
                PhoneNumberRequest(phoneNumber: "+15550100", code: "000000"))
        } catch let failure as ClientFailure {
            #expect(failure.code == .unauthenticated)
        }
        let tries = transport.requests.filter {
            $0.path == "/v1/me/phone-number" && sessions.isGood($0.token)
        }
        #expect(tries.count == 1)
        #expect(sessions.refreshes == 1)
    }

    /// Refuses every code, as the server does: with 401.
    private func numberTransport(_ sessions: FakeSessions) -> FakeTransport {
        FakeTransport { request, _ in
            if request.path == Routes.refresh.endpoint.path { return try sessions.refresh(request) }
            guard sessions.isGood(request.token), request.path == Routes.profile.endpoint.path
            else { return try .problem(.unauthenticated) }
            return try .json(
                UserProfile(
                    id: id(1), name: "Ana", phoneNumber: try PhoneNumber("+15550100100"),
                    emergencyNote: "", profilePictureURL: nil, settings: .standard,
                    lastCheckInTime: nil, nextCheckInTime: nil, status: .active,
                    createdAt: Date(milliseconds: 1_772_366_400_000)))
        }
    }

    @Test func aCallOfOneUserNeverGoesOnAsTheNext() async throws {
        let store = MemoryTokenStore(.stage(1))
        let (asked, wasAsked) = AsyncStream.makeStream(of: Void.self)
        let (answers, mayAnswer) = AsyncStream.makeStream(of: Void.self)
        let transport = FakeTransport { request, _ in
            if request.token == SessionTokens.stage(1).accessToken,
                request.path == Routes.contacts.endpoint.path
            {
                wasAsked.yield()
                for await _ in answers { break }
                return try .problem(.unauthenticated)
            }
            return TransportResponse(status: 204)
        }
        let connection = connection(transport, store)
        let call = Task { try await connection.call(Routes.contacts) }
        for await _ in asked { break }
        try await connection.signOut()
        try await connection.adopt(.stage(1, session: 2))
        mayAnswer.yield()
        await #expect(throws: ClientFailure.sessionEnded) { try await call.value }
        #expect(store.load() == .stage(1, session: 2))
    }

    @Test func signingOutNeedsNoServer() async throws {
        let store = MemoryTokenStore(.stage(1))
        let transport = FakeTransport { _, _ in throw ClientFailure.unreachable(.insecure) }
        let connection = connection(transport, store)
        #expect(try await connection.signOut() == .unreachable(.insecure))
        #expect(store.load() == nil)
        await #expect(throws: ClientFailure.sessionEnded) {
            try await connection.call(Routes.contacts)
        }
    }

    @Test func signingInStoresTheTokens() async throws {
        let store = MemoryTokenStore()
        let transport = FakeTransport { request, _ in
            #expect(request.token == nil)
            return try .json(SessionTokens.stage(1).response, status: 201)
        }
        let connection = connection(transport, store)
        #expect(try await connection.signedInUser() == nil)
        _ = try await connection.signIn(
            SignInRequest(phoneNumber: "+15550100", code: "000000", deviceName: "Phone"))
        #expect(store.load() == .stage(1))
        #expect(try await connection.signedInUser() == id(1))
    }
}

/// Fails to save as often as it is told to.
final class ScriptedStore: TokenStore {
    private struct State {
        var tokens: SessionTokens?
        var failures: Int
        var saved: [SessionTokens] = []
    }

    private let state: Mutex<State>

    init(_ tokens: SessionTokens?, failures: Int = 0) {
        state = Mutex(State(tokens: tokens, failures: failures))
    }

    var saved: [SessionTokens] { state.withLock { $0.saved } }
    func load() -> SessionTokens? { state.withLock { $0.tokens } }

    func save(_ tokens: SessionTokens) throws {
        try state.withLock { state in
            guard state.failures == 0 else {
                state.failures -= 1
                throw TokenStoreError.failed(path: "tokens", reason: "no space left")
            }
            state.tokens = tokens
            state.saved.append(tokens)
        }
    }

    func delete() { state.withLock { $0.tokens = nil } }
}
