import Domain
import Foundation
import Synchronization
import TestDatabase
import Testing

@testable import SafetyNetwork

/// Reminders wait while missed deadlines are due. Only on SQLite, because PostgreSQL runs several
/// batches concurrently.
@Suite(.enabled(if: !TestDatabase.isPostgreSQL)) struct AlarmsFirstTests {
    private final class Passes: Sendable {
        private let reports = Mutex<[DeadlineMonitor.Report]>([])

        var all: [DeadlineMonitor.Report] { reports.withLock { $0 } }
        func add(_ report: DeadlineMonitor.Report) -> Int {
            reports.withLock { reports in
                reports.append(report)
                return reports.count
            }
        }
    }

    /// A clock that advances whenever it is read.
    private final class SlowWork: Sendable {
        private let clock: TestClock
        private let step = Mutex(Duration.zero)

        init(_ clock: TestClock) { self.clock = clock }

        func begin(_ new: Duration) { step.withLock { $0 = new } }
        func now() -> Date {
            clock.pass(step.withLock { $0 })
            return clock.now
        }
    }

    private let server: TestServer
    private let passes = Passes()
    /// The people of a transaction while the clock stands still.
    private let batch = DeadlineMonitor.chunk * (1 + DeadlineMonitor.repeats)

    init() throws { server = try TestServer() }

    /// - Parameter pause: how far the clock advances after the first pass.
    private func handleDue(pause: Duration = .zero) async throws {
        let (passes, clock) = (passes, server.clock)
        let monitor = DeadlineMonitor(server.network) { report in
            if passes.add(report) == 1 { clock.pass(pause) }
        }
        try await monitor.handleDueDeadlines()
    }

    /// Adds people whose reminder is due in 22 hours.
    private func reminded(_ count: Int) async throws {
        for number in 0..<count { _ = try await server.armed("Reminded \(number)") }
    }

    /// Adds people without reminders. Their deadline is one second after the others' reminders.
    private func silent(_ count: Int) async throws -> [Person] {
        var people: [Person] = []
        for number in 0..<count {
            let person = try await server.armed("Silent \(number)")
            _ = try await server.setInterval(
                .hours(22) + .seconds(1), of: person, reminders: false)
            people.append(person)
        }
        return people
    }

    @Test func fullAlarmBatchesDelayReminders() async throws {
        try await reminded(60)
        _ = try await silent(2 * batch)
        server.clock.pass(.hours(22) + .seconds(2))
        try await handleDue()
        #expect(passes.all.prefix(2).map(\.missed) == [batch, batch])
        #expect(passes.all.prefix(2).map(\.reminders) == [0, 0])
        #expect(passes.all.map(\.reminders).reduce(0, +) == 60)
    }

    @Test func fewAlarmsDoNotDelayReminders() async throws {
        try await reminded(1)
        _ = try await silent(batch - 1)
        server.clock.pass(.hours(22) + .seconds(2))
        try await handleDue()
        #expect(passes.all.map(\.missed) == [batch - 1])
        #expect(passes.all.map(\.reminders) == [1])
    }

    /// Check-ins wait for the monitor's transaction.
    @Test(arguments: [(Duration.milliseconds(14), 2), (.milliseconds(15), 1)])
    func slowTransactionHandlesFewerPeople(step: Duration, chunks: Int) async throws {
        let environment = TestEnvironment()
        let work = SlowWork(environment.clock)
        let server = try TestServer(environment, now: { work.now() })
        let count = 2 * DeadlineMonitor.chunk + 1
        for number in 0..<count { _ = try await server.armed("Reminded \(number)") }
        server.clock.pass(.hours(22))
        work.begin(step)
        let monitor = DeadlineMonitor(server.network) { [passes] in _ = passes.add($0) }
        try await monitor.handleDueDeadlines()
        #expect(passes.all.first?.reminders == chunks * DeadlineMonitor.chunk)
        #expect(passes.all.map(\.reminders).reduce(0, +) == count)
    }

    @Test func newlyDueAlarmJoinsTheNextBatch() async throws {
        try await reminded(2 * batch + 10)
        _ = try await silent(1)
        server.clock.pass(.hours(22))
        try await handleDue(pause: .seconds(1))
        #expect(passes.all.map(\.missed) == [0, 1, 0])
        #expect(passes.all.map(\.reminders) == [batch, batch, 10])
    }

    @Test func repeatsGoBeforeReminders() async throws {
        for number in 0..<batch {
            _ = try await server.raiseAlert(try await server.person("Ada \(number)"))
        }
        let ben = try await server.person("Ben")
        try await server.checkIn(
            ben, at: server.clock.now.adding(.zero - .hours(21) - .minutes(56)))
        server.clock.pass(.minutes(5))
        try await handleDue()
        #expect(passes.all.map(\.repeatedAlerts) == [batch, 0])
        #expect(passes.all.map(\.reminders) == [0, 1])
    }

    /// Ada's late last call precedes the others' reminders, which were due before it. Otherwise,
    /// her deadline could pass while those are handled. A deadline up to 5 minutes after the grace
    /// is close.
    @Test(arguments: [(Duration.zero, true), (.milliseconds(1), false)])
    func closeDeadlineIsDueWithTheAlarmsAfterAnOutage(more: Duration, isClose: Bool) async throws {
        try await reminded(batch)
        let ada = try await server.person("Ada")
        let settings = CheckInSettings(
            intervalSeconds: 24 * 3_600, remindTwoHoursBefore: false,
            remindThirtyMinutesBefore: false,
            lastCall: LastCall(sendsMessage: true, calls: false, takesAnswers: false))
        _ = try await server.network.checkIns.updateSettings(settings, of: ada.caller)
        let deadline = server.clock.now.adding(.hours(22) + .minutes(11) + .seconds(30) + more)
        try await server.checkIn(ada, at: deadline.adding(.zero - .hours(24)))
        try await server.pass(.hours(21))
        try await server.outage(.minutes(65) + .seconds(30))
        try await handleDue()
        #expect(passes.all.map(\.reminders) == (isClose ? [batch + 1] : [batch, 1]))
    }
}
