import Domain
import Foundation
import Synchronization
import Testing

@testable import ClientsLive

@Suite(.timeLimit(.minutes(1))) struct SyncTests {
    @Test func isIdleUntilSomethingIsWanted() {
        let sync = Sync()
        #expect(sync.isIdle)
        sync.want([.alerts])
        #expect(!sync.isIdle)
    }

    /// Tries to load alerts without a session. Returns whether the sync is idle, and whether it
    /// plans no retry.
    private func failedLoad(for account: isolated Account) async -> (isIdle: Bool, isResting: Bool)
    {
        let sync = Sync()
        sync.want([.alerts])
        let next = await sync.loadWanted(for: account)
        let isResting = if case .rest = next { true } else { false }
        return (sync.isIdle, isResting)
    }

    @Test func failedLoadStaysWanted() async {
        let (isIdle, isResting) = await failedLoad(for: .unreachable())
        #expect(!isIdle)
        // Without a session there is nothing to retry.
        #expect(isResting)
    }

    @Test func withoutWishesNothingIsLoaded() async {
        // A session, because a load without one sends no request, and rests, too.
        let account = Account.answering(.stage(1)) { request, _ in
            Issue.record("It loads \(request.path).")
            throw ClientFailure.unreachable(.offline)
        }
        guard case .rest = await account.loadWanted() else {
            Issue.record("It loads.")
            return
        }
    }

    /// Returns the pause after a load that failed without a connection.
    private func pause(of sync: Sync, for account: isolated Account) async -> Duration? {
        guard case .pause(let pause, _) = await sync.loadWanted(for: account) else { return nil }
        return pause
    }

    private func pauses(for account: isolated Account) async -> [Duration?] {
        let sync = Sync()
        sync.want([.alerts])
        var pauses: [Duration?] = []
        for _ in 1...3 { pauses.append(await pause(of: sync, for: account)) }
        sync.retryNow()
        pauses.append(await pause(of: sync, for: account))
        return pauses
    }

    @Test func retryBeginsAgainWithTheShortestPause() async throws {
        let account = Account.answering(.stage(1)) { _, _ in
            throw ClientFailure.unreachable(.offline)
        }
        let pauses = await pauses(for: account)
        let first = try #require(pauses[0])
        #expect(pauses[2] ?? .zero > first)
        #expect(pauses[3] == first)
    }

    /// Returns once the loop that loads is woken.
    private func connect(afterFailedLoadOf account: isolated Account) async {
        account.sync.want([.alerts])
        await account.sync.wakeup.wait()
        _ = await account.loadWanted()
        account.receive(.connected)
        await account.sync.wakeup.wait()
    }

    @Test func connectingRetriesFailedLoad() async {
        let account = Account.unreachable()
        await connect(afterFailedLoadOf: account)
        #expect(await !account.isIdle)
    }

    private func checkIn(of user: UserID) -> StreamSignal {
        .event(
            .checkIn(.init(userID: user, lastCheckInTime: noon, nextCheckInTime: nil)), sequence: 1)
    }

    @Test func ownCheckInMadeElsewhereIsLoaded() async {
        let account = Account.unreachable()
        await account.receive(checkIn(of: id(2)))
        #expect(await account.isIdle)
        await account.receive(checkIn(of: id(1)))
        #expect(await !account.isIdle)
    }

    @Test func changeOfSeveralNotificationsLoadsThem() async {
        let account = Account.unreachable()
        let one = UserEvent.NotificationChange(notificationID: id(9), readAt: noon)
        await account.receive(.event(.notificationsChanged(one), sequence: 1))
        #expect(await account.isIdle)
        await account.receive(.event(.notificationsChanged(.init()), sequence: 2))
        #expect(await !account.isIdle)
    }

    /// A new dependent may have an open alert.
    @Test func alertsAndPingsOfANewContactAreLoaded() async {
        let asked = Mutex<[String]>([])
        let account = Account.answering(.stage(1)) { request, _ in
            asked.withLock { $0.append(String(request.path.prefix { $0 != "?" })) }
            return try .problem(.notFound)
        }
        let known = ContactData(
            id: id(2), name: "Ben", phoneNumber: nil, profilePictureURL: nil,
            roles: .shown(isResponder: true, isDependent: true), dateAdded: noon,
            hasPendingPing: false, pingedAt: nil, watch: nil)
        await account.receive(.reply(.contact(known)))
        await account.receive(.event(.contactChanged(.init(contactID: id(2))), sequence: 1))
        _ = await account.loadWanted()
        #expect(asked.withLock { $0 } == ["/v1/contacts"])
        await account.receive(.event(.contactChanged(.init(contactID: id(3))), sequence: 2))
        _ = await account.loadWanted()
        #expect(
            asked.withLock { $0.dropFirst() } == ["/v1/contacts", "/v1/alerts", "/v1/pings"])
    }

    @Test func knownCheckInIsNotLoaded() async {
        let account = Account.unreachable()
        let record = CheckInRecord(
            id: id(5), occurredAt: noon, receivedAt: noon, nextCheckInTime: nil)
        await account.receive(.reply(.checkIn(record)))
        await account.receive(checkIn(of: id(1)))
        #expect(await account.isIdle)
    }
}

extension Account {
    fileprivate var isIdle: Bool { sync.isIdle }
}
