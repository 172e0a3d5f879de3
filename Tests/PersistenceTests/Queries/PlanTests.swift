import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

/// The columns of schedules by the clock and of pauses.
@Suite struct PlanTests {
    private let engine: any DatabaseEngine

    init() async throws {
        engine = try TestDatabase.make(now: { noon })
        try await TestDatabase.allowUnnamedPeople(in: engine)
        try await engine.moveIn(ada, ben)
    }

    private static func settings(_ plan: CheckInPlan) -> CheckInSettings {
        CheckInSettings(
            plan: plan, intervalSeconds: 86_400, remindTwoHoursBefore: true,
            remindThirtyMinutesBefore: false)
    }

    /// On Mondays and Fridays, from 9:00 to 10:00 UTC.
    static let times: CheckInPlan = {
        let window = TimeOfDay(minutes: 600).map {
            CheckInWindow(days: [.monday, .friday], opens: TimeOfDay(minutes: 540), deadline: $0)
        }
        return .times(
            CheckInTimes(timeZone: "Atlantic/Reykjavik", windows: window.map { [$0] } ?? []))
    }()

    private func save(_ schedule: CheckInSchedule, of user: UserID = ada) async throws {
        try await engine.write(about: Subjects([user])) { try $0.save(schedule, of: user) }
    }

    private func change(_ assignments: String) async throws {
        try await engine.write(about: Subjects([ada])) {
            _ = try $0.execute(
                "UPDATE schedules SET \(assignments) WHERE user_id = $1", [.id(ada)])
        }
    }

    private func number(_ column: String) async throws -> Int? {
        try await engine.read {
            try $0.first("SELECT \(column) FROM schedules WHERE user_id = $1", [.id(ada)]) {
                try $0[column] as Int?
            } ?? nil
        }
    }

    // MARK: Rows

    /// An hour around the deadline of a day after noon.
    static let sleep: CheckInPlan = {
        let (from, until) = (TimeOfDay(minutes: 690), TimeOfDay(minutes: 750))
        return CheckInPlan(
            intervalWith: from.flatMap { from in
                until.map { SleepHours(from: from, until: $0, timeZone: "Atlantic/Reykjavik") }
            })
    }()

    @Test(arguments: [CheckInPlan.interval, .none, times, sleep])
    func scheduleRoundTrips(plan: CheckInPlan) async throws {
        var schedule = CheckInSchedule(settings: .standard, lastCheckIn: noon)
        schedule.apply(Self.settings(plan), at: noon.adding(.minutes(1)))
        try await save(schedule)
        #expect(try await engine.read { try $0.schedule(of: ada) } == schedule)

        schedule.pause(until: noon.adding(.days(3)), at: noon.adding(.hours(1)))
        try await save(schedule)
        #expect(try await engine.read { try $0.schedule(of: ada) } == schedule)

        schedule.endPause(at: noon.adding(.days(1)))
        try await save(schedule)
        #expect(try await engine.read { try $0.schedule(of: ada) } == schedule)
        #expect(
            try await engine.read { try $0.scheduleMemory(of: ada)?.schedule } == schedule)
    }

    @Test func intervalLeavesTheColumnsEmpty() async throws {
        try await save(CheckInSchedule(settings: .standard, lastCheckIn: noon))
        let columns = ["own_deadline_at", "start_from", "start_deadline_at", "paused_until"]
        for column in columns { #expect(try await number(column) == nil) }
        #expect(try await engine.rows(in: "schedules WHERE plan IS NULL") == 2)
    }

    @Test func deadlineOfTimesIsStored() async throws {
        let schedule = CheckInSchedule(settings: Self.settings(Self.times), lastCheckIn: noon)
        try await save(schedule)
        // Monday, 10:00 UTC.
        let deadline = noon.adding(.hours(22))
        #expect(schedule.deadline == deadline)
        #expect(try await number("own_deadline_at") == Int(deadline.milliseconds))
    }

    @Test func deadlineMovedOutOfSleepIsStored() async throws {
        let schedule = CheckInSchedule(settings: Self.settings(Self.sleep), lastCheckIn: noon)
        try await save(schedule)
        let deadline = noon.adding(.hours(25) + .minutes(30))
        #expect(schedule.deadline == deadline)
        #expect(try await number("own_deadline_at") == Int(deadline.milliseconds))
        #expect(try await planned().map { $0.isStale(at: noon) } == [false])
        // From an hour after the sleep hours on, the deadline is the check-in plus the interval.
        try await save(
            CheckInSchedule(
                settings: Self.settings(Self.sleep), lastCheckIn: noon.adding(.minutes(90))))
        #expect(try await number("own_deadline_at") == nil)
        #expect(try await planned().map { $0.isStale(at: noon) } == [false])
        // An older server stores only the check-in.
        try await change("last_check_in_at = \(noon.milliseconds)")
        #expect(try await planned().map { $0.isStale(at: noon) } == [true])
    }

    @Test(arguments: [
        "", "{}", "moon", #"{"kind":"moon"}"#, #"{"kind":"interval","sleep":{"from":"22:00"}}"#,
    ])
    func unreadablePlanIsAnInterval(text: String) async throws {
        try await change("plan = '\(text)'")
        let schedule = try await engine.read { try $0.schedule(of: ada) }
        #expect(schedule?.settings.plan == .interval)
    }

    @Test func checkInRoundTrips() async throws {
        let records = [
            CheckInRecord(id: id(1), occurredAt: noon, receivedAt: noon, nextCheckInTime: nil),
            CheckInRecord(
                id: id(2), occurredAt: noon, receivedAt: noon,
                nextCheckInTime: noon.adding(.hours(22)), opensAt: noon.adding(.hours(16))),
        ]
        for record in records {
            try await engine.write(about: Subjects([ada])) { try $0.insert(record, of: ada) }
            #expect(try await engine.read { try $0.checkIn(record.id, of: ada) } == record)
        }
    }

    // MARK: Work on all rows

    private func planned() async throws -> [PlannedSchedule] {
        try await engine.read { try $0.plannedSchedules(after: nil, limit: 10) }
    }

    @Test func plannedSchedulesComeInPages() async throws {
        #expect(try await planned().isEmpty)
        let schedule = CheckInSchedule(settings: Self.settings(Self.times), lastCheckIn: noon)
        for user in [ben, ada] { try await save(schedule, of: user) }
        #expect(try await planned().map(\.user) == [ada, ben])
        let page = try await engine.read { try $0.plannedSchedules(after: nil, limit: 1) }
        #expect(page.map(\.user) == [ada])
        let next = try await engine.read { try $0.plannedSchedules(after: ada, limit: 1) }
        #expect(next.map(\.user) == [ben])
        #expect(try await engine.read { try $0.plannedSchedule(of: ben) }?.schedule == schedule)
    }

    @Test func onlyChangedDeadlinesAreStale() async throws {
        let schedule = CheckInSchedule(settings: Self.settings(Self.times), lastCheckIn: noon)
        try await save(schedule)
        #expect(try await planned().map { $0.isStale(at: noon) } == [false])
        try await change("own_deadline_at = own_deadline_at + 1")
        #expect(try await planned().map { $0.isStale(at: noon) } == [true])
        // An older server stores only the check-in.
        try await save(schedule)
        let checkIn = noon.adding(.hours(21))
        try await change("last_check_in_at = \(checkIn.milliseconds)")
        #expect(try await planned().map { $0.isStale(at: checkIn) } == [true])
    }

    /// A grace or a question postpones a deadline by at most 15 minutes.
    @Test(arguments: [(0, false), (15, false), (16, true)])
    func monitoringTooLateIsStale(minutes: Int, isStale: Bool) async throws {
        let schedule = CheckInSchedule(settings: Self.settings(Self.times), lastCheckIn: noon)
        try await save(schedule)
        let due = noon.adding(.hours(22) + .minutes(minutes))
        try await change("next_due_at = \(due.milliseconds)")
        #expect(try await planned().map { $0.isStale(at: noon) } == [isStale])
        #expect(try await planned().map { $0.isStale(at: due) } == [false])
    }

    /// The deadline by the interval would be noon on Monday.
    @Test func graceIsGivenForTheDeadlineOfTheTimes() async throws {
        try await save(
            CheckInSchedule(settings: Self.settings(Self.times), lastCheckIn: noon))
        let (from, to) = (noon.adding(.hours(21)), noon.adding(.hours(23)))
        try await engine.write(about: .none) {
            try $0.grantGrace(after: Outage(from: from, to: to, silentSince: from))
        }
        let due = try await engine.read { try $0.scheduleMemory(of: ada)?.nextDueAt }
        #expect(due == Outage(from: from, to: to, silentSince: from).graceEnd)
    }
}
