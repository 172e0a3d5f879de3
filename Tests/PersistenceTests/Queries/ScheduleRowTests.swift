import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

/// Which schedules are due, and that a change of one person's schedule leaves the others'.
@Suite struct ScheduleRowTests {
    private let engine: any DatabaseEngine
    /// Everybody has checked in at noon. The first reminder is due 22 hours later.
    private let reminder = noon.adding(.hours(22))
    private let deadline = noon.adding(.hours(24))

    init() async throws {
        engine = try TestDatabase.make(now: { noon })
        try await TestDatabase.allowUnnamedPeople(in: engine)
        try await engine.moveIn(ada, ben, cleo)
        for user in [ada, ben, cleo] {
            try await engine.write(about: .none) {
                try $0.save(
                    CheckInSchedule(
                        settings: CheckInSettings(
                            intervalSeconds: 86_400, remindTwoHoursBefore: true,
                            remindThirtyMinutesBefore: false), lastCheckIn: noon), of: user)
            }
        }
    }

    private func change(_ assignments: String, of user: UserID = ada) async throws {
        try await engine.write(about: .none) {
            _ = try $0.execute(
                "UPDATE schedules SET \(assignments) WHERE user_id = $1", [.id(user)])
        }
    }

    /// Returns the values of a column: Ada's, Ben's and Cleo's.
    private func column(_ name: String) async throws -> [Int64?] {
        try await engine.read {
            try $0.query("SELECT \(name) AS value FROM schedules ORDER BY user_id", []) {
                try $0["value"] as Int64?
            }
        }
    }

    private func due(isAlarm: Bool, at time: Date, limit: Int = 10) async throws -> [UserID] {
        try await engine.read { try $0.dueUsers(isAlarm: isAlarm, at: time, limit: limit) }
    }

    @Test func mostOverdueComesFirst() async throws {
        try await change("next_due_at = \(noon.milliseconds + 2)", of: ada)
        try await change("next_due_at = \(noon.milliseconds + 1), next_is_alarm = 1", of: ben)
        try await change("next_due_at = \(noon.milliseconds + 1)", of: cleo)
        let time = noon.adding(.milliseconds(2))
        #expect(try await due(isAlarm: false, at: noon) == [])
        #expect(try await due(isAlarm: false, at: noon.aMillisecondAfter) == [cleo])
        #expect(try await due(isAlarm: false, at: time) == [cleo, ada])
        #expect(try await due(isAlarm: false, at: time, limit: 1) == [cleo])
        #expect(try await due(isAlarm: true, at: noon) == [])
        #expect(try await due(isAlarm: true, at: time) == [ben])
        let counts = try await engine.read {
            [
                try $0.countDueSchedules(at: noon, limit: 10),
                try $0.countDueSchedules(at: noon.aMillisecondAfter, limit: 10),
                try $0.countDueSchedules(at: time, limit: 10),
                try $0.countDueSchedules(at: time, limit: 2),
            ]
        }
        #expect(counts == [0, 2, 3, 2])
        let users = try await engine.read {
            try $0.dueSchedules(of: [ada, cleo], at: noon.aMillisecondAfter).map(\.user)
        }
        #expect(users == [cleo])
        try await change("next_due_at = NULL", of: cleo)
        #expect(try await due(isAlarm: false, at: deadline) == [ada])
        #expect(try await engine.read { try $0.countArmedSchedules() } == 2)
    }

    @Test func pagesOfSchedulesFollowEachOther() async throws {
        for (after, users) in [(nil, [ada, ben]), (ada, [ben, cleo]), (cleo, [])]
            as [(UserID?, [UserID])]
        {
            let page = try await engine.read {
                try $0.scheduleMemories(after: after, limit: 2).map(\.user)
            }
            #expect(page == users)
        }
    }

    @Test func changesConcernOnePerson() async throws {
        let later = noon.adding(.minutes(5))
        try await engine.write(at: later) {
            try $0.noteHeard(ada)
            try $0.noteAsked(ben, lookAgainAt: later.adding(.minutes(1)))
            try $0.postponeSchedule(of: cleo, until: later)
        }
        let (moment, initial) = (later.milliseconds, reminder.milliseconds)
        #expect(try await column("heard_at") == [moment, nil, nil])
        #expect(try await column("asked_at") == [nil, moment, nil])
        #expect(try await column("next_due_at") == [initial, moment + 60_000, moment])
        #expect(try await column("next_is_alarm") == [0, 1, 0])
        var schedule = try #require(try await engine.read { try $0.schedule(of: ada) })
        schedule.hasOpenedAlert = true
        try await engine.write(about: .none) { [schedule] in
            try $0.saveHandled([(user: ada, schedule: schedule)])
        }
        #expect(try await column("missed_told") == [1, 0, 0])
    }

    /// The reminders of people whose deadline is close become alarms.
    @Test func lateRemindersBecomeAlarms() async throws {
        let lead = CheckInSchedule.alarmLead
        let now = deadline.adding(.zero - lead)
        try await change("next_due_at = \(now.milliseconds)", of: ada)
        try await change("next_due_at = \(now.milliseconds + 1)", of: ben)
        try await change("last_check_in_at = \(noon.milliseconds + 1)", of: cleo)
        try await engine.write(about: .none) { try $0.putAlarmsFirst(dueBefore: now) }
        #expect(try await column("next_is_alarm") == [1, 0, 0])
    }

    @Test(arguments: [
        ("missed_told = 1", false), ("last_check_in_at = last_check_in_at - 3600001", false),
        ("last_check_in_at = last_check_in_at - 3600000", true),
        ("last_check_in_at = last_check_in_at + 3600000", true),
        ("last_check_in_at = last_check_in_at + 3600001", false),
        ("next_due_at = next_due_at + 10800001", false), ("next_due_at = NULL", false),
        ("reminders_sent = 0", true),
    ])
    func graceIsForDeadlinesInTheOutage(assignment: String, isGiven: Bool) async throws {
        let outage = Outage(
            from: deadline.adding(.hours(-1)), to: deadline.adding(.hours(1)),
            silentSince: deadline.adding(.hours(-1)))
        try await change(assignment)
        try await change("last_check_in_at = \(noon.adding(.hours(-9)).milliseconds)", of: ben)
        let before = try await column("next_due_at")
        try await engine.write(about: .none) { try $0.grantGrace(after: outage) }
        let end = outage.graceEnd.milliseconds
        let expected: [Int64?] = [isGiven ? end : before[0], before[1], end]
        #expect(try await column("next_due_at") == expected)
    }

    /// The deadline passed before the outage. After a restore, the person was asked.
    /// - Parameter asked: from the outage's start, less the 15 minutes to answer.
    @Test(arguments: [
        (Duration.milliseconds(-1), "missed_told = 0", false), (.zero, "missed_told = 0", true),
        (.hours(1), "missed_told = 0", true), (.milliseconds(3_600_001), "missed_told = 0", false),
        (.zero, "missed_told = 1", false),
        // The question was about an earlier deadline.
        (.zero, "last_check_in_at = last_check_in_at + 2700001", false),
    ])
    func graceIsForQuestionsThatRanOutInTheOutage(
        asked: Duration, assignment: String, isGiven: Bool
    ) async throws {
        let from = deadline.adding(.hours(1))
        let outage = Outage(from: from, to: from.adding(.hours(1)), silentSince: from)
        let time = from.adding(asked - Restoration.patience)
        try await change("asked_at = \(time.milliseconds), \(assignment)")
        let before = try await column("next_due_at")
        try await engine.write(about: .none) { try $0.grantGrace(after: outage) }
        let expected = [isGiven ? outage.graceEnd.milliseconds : before[0], before[1], before[2]]
        #expect(try await column("next_due_at") == expected)
    }

    // MARK: When the monitor works next

    @Test func monitorWorksNextForEveryKindOfRow() async throws {
        try await engine.write(about: .none) {
            _ = try $0.execute("UPDATE schedules SET next_due_at = NULL", [])
        }
        func next(calls: Bool = true) async throws -> Date? {
            try await engine.read { try $0.nextDue(calls: calls) }
        }
        #expect(try await next() == nil)
        let asked = ping(1, from: ben, to: ada)
        try await engine.write(about: .none) { try $0.insert(asked) }
        #expect(try await next() == noon.adding(PingRules.lifetime))
        let drill = noon.adding(.minutes(50))
        try await engine.write(about: .none) {
            try $0.insert(
                DrillRecord(id: id(1), startedAt: noon), of: ada, named: "Ada", [], nextDue: drill)
        }
        #expect(try await next() == drill)
        let journey = noon.adding(.minutes(40))
        try await engine.write(about: .none) {
            try $0.save(
                Journey(
                    id: id(1), name: "Hill", note: "", startedAt: noon,
                    expectedReturn: noon.adding(.hours(2)), graceMinutes: 10, responders: nil,
                    tellsResponders: false), of: ben)
            try $0.postponeJourney(of: ben, until: journey)
        }
        #expect(try await next() == journey)
        var alert = manualAlert(1, of: ada)
        alert.nextCallAt = noon.adding(.minutes(1))
        try await engine.write(about: .none) { [alert] in
            try $0.insert(alert)
            try $0.postponeAlert(alert, until: noon.adding(.minutes(30)))
        }
        #expect(try await next() == noon.adding(.minutes(1)))
        #expect(try await next(calls: false) == noon.adding(.minutes(30)))
        try await change("next_due_at = \(noon.milliseconds + 1)", of: cleo)
        #expect(try await next() == noon.aMillisecondAfter)
    }
}
