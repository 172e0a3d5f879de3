import Domain
import Foundation
import Persistence
import SafetyNetwork
import TestDatabase
import Testing

/// One server finds due rows without a lock. Another server changes them before the first one locks
/// them.
@Suite(
    "Candidates that change before their lock", .enabled(if: TestDatabase.isPostgreSQL),
    .timeLimit(.minutes(5)))
struct CandidateTests {
    private let group: ServerGroup
    private let ada: ServerGroup.Person
    private let ben: ServerGroup.Person

    /// The server that finds due rows.
    private var first: TestServer { group.servers[0] }
    /// The server on which people act.
    private var second: TestServer { group.servers[1] }

    init() async throws {
        group = try ServerGroup(servers: 2, hasCalls: true)
        (ada, ben) = (try await group.person(0), try await group.person(1))
        try await group.connect(ben, ada)
        try await setInterval(of: ada, seconds: 24 * 3_600)
        try await setInterval(of: ben, seconds: 7 * 24 * 3_600)
    }

    private func setInterval(of person: ServerGroup.Person, seconds: Int) async throws {
        let settings = CheckInSettings(
            intervalSeconds: seconds, remindTwoHoursBefore: false,
            remindThirtyMinutesBefore: true)
        _ = try await second.network.checkIns.updateSettings(settings, of: person.caller)
    }

    private func raise() async throws -> AlertID {
        let record = try await second.network.alerts.raiseAlert(AlertID(UUID()), by: ada.caller)
        return try #require(AlertID(record.id))
    }

    private func count(_ rows: String) async throws -> Int {
        try await first.engine.read { try $0.count("SELECT COUNT(*) FROM \(rows)", []) }
    }

    /// Runs one pass of the first server's deadline monitor. `act` runs just before the pass locks
    /// the person.
    private func passAfter(
        _ person: ServerGroup.Person, _ act: @escaping @Sendable () async throws -> Void
    ) async throws {
        first.interruption.beforeLock(of: person.id, act)
        _ = try await first.monitor.handleDueDeadlines()
        #expect(first.interruption.isOver, "The person was no candidate.")
    }

    private func checkIn() async throws {
        _ = try await second.network.checkIns.checkIn(
            CheckInID(UUID()), occurredAt: group.clock.now(), by: ada.caller)
    }

    @Test func aCheckInPreventsTheAlert() async throws {
        group.clock.pass(.hours(24))
        try await passAfter(ada) { try await checkIn() }
        #expect(try await count("alerts") == 0)
        try group.close()
    }

    @Test func aCheckInPreventsTheReminder() async throws {
        group.clock.pass(.hours(23) + .minutes(31))
        try await passAfter(ada) { try await checkIn() }
        #expect(try await count("deliveries WHERE purpose = 'reminder'") == 0)
        try group.close()
    }

    private func startJourney() async throws -> JourneyID {
        let draft = JourneyDraft(
            id: JourneyID(UUID()), name: "Zugspitze",
            expectedReturn: group.clock.now().adding(.hours(1)), graceMinutes: 0)
        _ = try await second.network.journeys.start(draft, of: ada.caller)
        group.clock.pass(.hours(1))
        return draft.id
    }

    @Test func anArrivalPreventsTheAlert() async throws {
        let journey = try await startJourney()
        try await passAfter(ada) {
            _ = try await second.network.journeys.end(
                journey, pressedAt: group.clock.now(), of: ada.caller)
        }
        #expect(try await count("alerts") == 0)
        try group.close()
    }

    @Test func aLaterReturnPreventsTheAlert() async throws {
        let journey = try await startJourney()
        try await passAfter(ada) {
            _ = try await second.network.journeys.extend(
                journey, until: group.clock.now().adding(.hours(1)),
                pressedAt: group.clock.now(), of: ada.caller)
        }
        #expect(try await count("alerts") == 0)
        try group.close()
    }

    @Test func aDeletedAccountMissesNothing() async throws {
        group.clock.pass(.hours(24))
        try await passAfter(ada) { try await group.delete(ada, on: second.network) }
        #expect(try await count("alerts") == 0)
        #expect(try await count("deliveries WHERE purpose = 'alertBegin'") == 0)
        try group.close()
    }

    @Test(arguments: ["acknowledged", "ended"])
    func anActPreventsTheRepeat(act: String) async throws {
        let alert = try await raise()
        group.clock.pass(.minutes(5))
        try await passAfter(ada) { try await perform(act, alert) }
        #expect(try await count("deliveries WHERE purpose = 'alertRepeat'") == 0)
        try group.close()
    }

    @Test(arguments: ["acknowledged", "ended"])
    func anActPreventsTheCall(act: String) async throws {
        let alert = try await raise()
        group.clock.pass(.seconds(91))
        try await passAfter(ada) { try await perform(act, alert) }
        #expect(
            try await count("deliveries WHERE channel = 'voice' AND next_try_at IS NOT NULL") == 0)
        try group.close()
    }

    private func perform(_ act: String, _ alert: AlertID) async throws {
        _ =
            act == "ended"
            ? try await second.network.alerts.endAlert(alert, by: ada.caller)
            : try await second.network.responding.acknowledgeAlert(alert, by: ben.caller)
    }

    private let startedCalls = "deliveries WHERE channel = 'voice' AND next_try_at IS NOT NULL"

    /// Both servers choose Ben at the same moment, for two people's alerts.
    @Test func twoServersCallAPersonAboutOneAlert() async throws {
        let cleo = try await group.person(2)
        try await group.connect(ben, cleo)
        _ = try await raise()
        group.clock.pass(.seconds(2))
        _ = try await second.network.alerts.raiseAlert(AlertID(UUID()), by: cleo.caller)
        group.clock.pass(.seconds(89))
        try await passAfter(ben) {
            group.clock.pass(.milliseconds(1_500))
            _ = try await second.monitor.handleDueDeadlines()
            #expect(try await count(startedCalls) == 1)
        }
        #expect(try await count(startedCalls) == 1)
        // The first call has no result.
        group.clock.pass(Ladder.callPatience + .seconds(1))
        _ = try await first.monitor.handleDueDeadlines()
        #expect(try await count(startedCalls) == 2)
        try group.close()
    }

    @Test func aLockedPersonIsCalledASecondLater() async throws {
        _ = try await raise()
        group.clock.pass(.seconds(91))
        let (locked, lock) = AsyncStream.makeStream(of: Void.self)
        let isOver = DispatchSemaphore(value: 0)
        defer { isOver.signal() }
        let holder = Task {
            try await second.engine.write(about: .none) { transaction in
                _ = try transaction.tryLock([ben.id])
                lock.finish()
                isOver.wait()
            }
        }
        for await _ in locked {}
        _ = try await first.monitor.handleDueDeadlines()
        #expect(try await count(startedCalls) == 0)
        isOver.signal()
        try await holder.value
        group.clock.pass(Ladder.pauseForOtherServer)
        _ = try await first.monitor.handleDueDeadlines()
        #expect(try await count(startedCalls) == 1)
        try group.close()
    }

    @Test func aStoppedDrillStaysStopped() async throws {
        let id = DrillID(UUID())
        _ = try await second.network.drills.startDrill(id, by: ada.caller)
        group.clock.pass(.minutes(10))
        try await passAfter(ada) {
            _ = try await second.network.drills.stopDrill(id, by: ada.caller)
        }
        #expect(try await count("drills WHERE end_reason = 'stopped'") == 1)
        try group.close()
    }

    /// The server finds the due row. Before it is sent, the end of the alert withdraws it.
    @Test func anEndWithdrawsWhatIsAboutToBeSent() async throws {
        let alert = try await raise()
        group.clock.pass(.seconds(31))
        first.interruption.beforeLock(of: ben.id) {
            _ = try await second.network.alerts.endAlert(alert, by: ada.caller)
        }
        _ = try await first.worker.work()
        await first.tries.finish()
        #expect(first.interruption.isOver)
        #expect(!group.outside.sent.contains { $0.notification.title.hasSuffix("needs help") })
        try group.close()
    }

    /// The server looks up the owner of an alert without a lock.
    @Test func theFirstOfTwoAcknowledgementsWins() async throws {
        let cleo = try await group.person(2)
        try await group.connect(cleo, ada)
        let alert = try await raise()
        first.interruption.beforeLock(of: ada.id) {
            _ = try await second.network.responding.acknowledgeAlert(alert, by: ben.caller)
        }
        let record = try await first.network.responding.acknowledgeAlert(alert, by: cleo.caller)
        #expect(first.interruption.isOver)
        #expect(record.acknowledgement?.name == "P1")
        #expect(try await count("alert_actions WHERE kind = 'acknowledged'") == 1)
        try group.close()
    }

    @Test func aSessionThatWasUsedIsNotCleanedUp() async throws {
        let network = first.network
        group.clock.pass(.days(91))
        // Ada uses her session on the other server, so it expires 90 days from now.
        first.interruption.beforeLock(of: ada.id) {
            try await second.engine.write(about: Subjects([ada.id])) { transaction in
                _ = try transaction.execute(
                    "UPDATE sessions SET refresh_expires_at = $1 WHERE user_id = $2",
                    [.date(transaction.now.adding(.days(90))), .id(ada.id)])
            }
        }
        let retention = Retention(network)
        for _ in CleanUp.allCases { try await retention.pass() }
        #expect(first.interruption.isOver)
        let left: [UserID] = try await first.engine.read {
            try $0.values("SELECT user_id FROM sessions", [])
        }
        #expect(left == [ada.id])
        try group.close()
    }
}
