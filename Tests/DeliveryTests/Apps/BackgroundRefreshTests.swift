import Domain
import Foundation
import Synchronization
import TestDatabase
import Testing

@testable import Delivery
@testable import Persistence

@Suite struct BackgroundRefreshTests {
    private let clock: TestClock
    private let database: FaultyDatabase
    private let refresh = BackgroundRefresh()
    private let sent = Sent()

    private final class Sent: Sendable {
        let tokens = Mutex<[String]>([])
        let answer = Mutex(DeliveryResult.accepted(providerID: nil))
    }

    init() async throws {
        clock = TestClock()
        database = try await FaultyDatabase.withAda(clock)
    }

    /// Adds a session with an app to a user. The number gives the ids and the app's token.
    private func app(_ number: UInt8, of user: UInt8 = 1) async throws {
        try await database.moveIn(user, device: nil)
        let caller = Caller(userID: id(user), sessionID: id(number))
        let digits = number < 10 ? "0\(number)" : "\(number)"
        let token = try AppToken(
            apns: String(repeating: digits, count: 16), environment: .production)
        let endpoint = PushEndpoint(
            id: id(number), kind: .apns, url: token.url, createdAt: clock.now())
        try await database.write(about: .none) { transaction in
            try transaction.insertSession(
                caller, deviceName: "iPhone",
                TokenHashes(
                    access: Data([number]), refresh: Data([number, 1]), family: nil,
                    accessExpiresAt: noon, refreshExpiresAt: noon))
            _ = try transaction.save(
                AppEndpointRow(
                    endpoint: endpoint, addressHash: Data(repeating: number, count: 32)),
                of: caller)
        }
    }

    private func change(_ user: UInt8 = 1, by session: UInt8?) {
        var outbox = Outbox()
        outbox.staleDevices = [StaleDevices(user: id(user), besides: session.map { id($0) })]
        #expect(refresh.note(outbox))
    }

    /// Sends the due messages. Returns the sorted numbers of the apps that received one.
    private func pass() async throws -> [Int] {
        _ = try await due()
        return sent.tokens.withLock { tokens in
            defer { tokens = [] }
            return tokens.compactMap { Int($0.prefix(2)) }.sorted()
        }
    }

    private func due() async throws -> Date? {
        try await refresh.pass(database) { [sent] token in
            sent.tokens.withLock { $0.append(token.text) }
            return sent.answer.withLock { $0 }
        }
    }

    @Test func refreshSkipsTheDeviceThatActed() async throws {
        try await app(2)
        try await app(3)
        try await app(4, of: 5)
        #expect(!refresh.note(Outbox()))
        #expect(try await pass() == [])
        change(by: 2)
        #expect(try await pass() == [3])
        #expect(try await pass() == [])
    }

    @Test func changeInABrowserReachesAllApps() async throws {
        try await app(2)
        try await app(3)
        change(by: 9)
        #expect(try await pass() == [2, 3])
    }

    @Test func changesOnTwoDevicesReachBoth() async throws {
        try await app(2)
        try await app(3)
        change(by: 2)
        change(by: 3)
        #expect(try await pass() == [2, 3])
    }

    @Test func changeWithoutADeviceReachesAllApps() async throws {
        try await app(2)
        change(by: nil)
        #expect(try await pass() == [2])
    }

    @Test func changesWithinThePauseShareOneMessage() async throws {
        try await app(2)
        change(by: 9)
        #expect(try await pass() == [2])
        change(by: 9)
        change(by: 9)
        #expect(try await due() == noon.adding(BackgroundRefresh.pause))
        clock.advance(by: BackgroundRefresh.pause - .milliseconds(1))
        #expect(try await pass() == [])
        clock.advance(by: .milliseconds(1))
        #expect(try await pass() == [2])
        #expect(try await due() == nil)
    }

    @Test func clockThatWasSetBackEndsThePauses() async throws {
        try await app(2)
        change(by: 9)
        #expect(try await pass() == [2])
        sent.answer.withLock { $0 = .failed(.http(503)) }
        clock.advance(by: BackgroundRefresh.pause)
        change(by: 9)
        #expect(try await pass() == [2])
        clock.advance(by: .zero - .days(2))
        #expect(try await pass() == [2])
    }

    @Test func refreshPauseIsPerPerson() async throws {
        try await app(2)
        try await app(4, of: 5)
        change(by: 9)
        #expect(try await pass() == [2])
        change(5, by: 9)
        #expect(try await pass() == [4])
    }

    @Test func failedRefreshIsTriedThreeTimes() async throws {
        try await app(2)
        sent.answer.withLock { $0 = .failed(.http(503)) }
        change(by: 9)
        for _ in 1...BackgroundRefresh.tries {
            #expect(try await pass() == [2])
            #expect(try await pass() == [])
            clock.advance(by: BackgroundRefresh.pauseAfterFailure)
        }
        #expect(try await pass() == [])
    }

    @Test func refreshKeepsTheServicesBackOff() async throws {
        try await app(2)
        sent.answer.withLock { $0 = .failed(.http(429), after: .minutes(5)) }
        change(by: 9)
        #expect(try await due() == noon.adding(.minutes(5)))
    }

    @Test(arguments: [DeliveryResult.refused(.http(400)), .ended(.http(410))])
    func rejectedRefreshIsNotRetried(answer: DeliveryResult) async throws {
        try await app(2)
        sent.answer.withLock { $0 = answer }
        change(by: 9)
        #expect(try await pass() == [2])
        clock.advance(by: BackgroundRefresh.pause)
        #expect(try await pass() == [])
    }

    @Test func databaseFailureKeepsPendingRefreshes() async throws {
        try await app(2)
        change(by: 9)
        database.fail(true)
        await #expect(throws: DatabaseError.self) { _ = try await due() }
        database.fail(false)
        #expect(try await pass() == [2])
    }

    @Test func onePassRefreshesManyPeople() async throws {
        for number in 2...80 as ClosedRange<UInt8> { try await app(number, of: number + 100) }
        for number in 2...80 as ClosedRange<UInt8> { change(number + 100, by: nil) }
        _ = try await due()
        #expect(sent.tokens.withLock { $0.count } == 79)
    }
}
