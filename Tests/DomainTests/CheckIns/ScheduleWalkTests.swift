import Foundation
import SeededGenerator
import Testing

@testable import Domain

/// Simulates random days minute by minute. Each message must be sent exactly once.
@Suite struct ScheduleWalkTests {
    @Test(arguments: 0..<60)
    func everyMessageIsSentOnceAndOnTime(seed: Int) {
        var walk = ScheduleWalk(seed: seed)
        walk.days(3)
        #expect(walk.violations == [])
    }

    @Test func walksCoverEveryAction() {
        var reminded = 0
        var missed = 0
        for seed in 0..<60 {
            var walk = ScheduleWalk(seed: seed)
            walk.days(3)
            reminded += walk.remindersSent
            missed += walk.missedTold
        }
        #expect(reminded > 100)
        #expect(missed > 100)
    }
}

private struct ScheduleWalk {
    private(set) var violations: [String] = []
    private(set) var remindersSent = 0
    private(set) var missedTold = 0

    private var random: SeededGenerator
    private var now = noon
    private var schedule: CheckInSchedule
    /// The messages sent since the deadline last changed.
    private var said: Set<String> = []
    private var downUntil = noon

    init(seed: Int) {
        random = SeededGenerator(seed: seed)
        schedule = CheckInSchedule(settings: .standard, lastCheckIn: nil)
        schedule.settings = someSettings()
    }

    mutating func days(_ count: Int) {
        for _ in 0..<(count * 1440) {
            now = now.adding(.minutes(1))
            live()
            if now >= downUntil { handleDue() }
        }
    }

    /// At random, the person checks in (sometimes for an earlier time) or changes the settings.
    /// Sometimes the server goes down for a while.
    private mutating func live() {
        if random.once(in: 500) {
            let moment = now.adding(
                .minutes(random.once(in: 3) ? -Int.random(in: 0...900, using: &random) : 0))
            let before = schedule
            if schedule.checkIn(at: moment) {
                said = []
            } else if schedule != before {
                violations.append("an older check-in changed the schedule")
            }
        }
        if random.once(in: 700) {
            let old = schedule.settings
            schedule.apply(someSettings(), at: now)
            if schedule.settings.intervalSeconds != old.intervalSeconds { said = [] }
        }
        if random.once(in: 900) {
            downUntil = now.adding(.minutes(.random(in: 1...300, using: &random)))
        }
    }

    private mutating func handleDue() {
        let isDue = schedule.nextDue(at: now).map { $0 <= now } ?? false
        if isDue != (schedule.dueAction(at: now) != nil) {
            violations.append("nextDue is not the moment of dueAction at \(now)")
        }
        while let action = schedule.act(at: now) { check(action) }
    }

    private mutating func check(_ action: CheckInSchedule.DueAction) {
        let before = schedule
        switch action {
        case .remind(let reminder, let deadline, let covers):
            remindersSent += 1
            if deadline != before.deadline || now >= deadline {
                violations.append("a reminder of a deadline that is not ahead")
            }
            if now < deadline.adding(.zero - reminder.lead) {
                violations.append("\(reminder) before its moment")
            }
            if !schedule.settings.isOn(reminder) {
                violations.append("\(reminder) though it is off")
            }
            if !covers.contains(SentReminders(reminder)) {
                violations.append("\(reminder) is not remembered")
            }
            if !said.insert("\(reminder)").inserted { violations.append("\(reminder) twice") }
        case .lastCall(let step, let deadline, let covers):
            if deadline != before.deadline || now >= deadline {
                violations.append("a last call of a deadline that is not ahead")
            }
            if now < deadline.adding(.zero - step.lead) {
                violations.append("\(step) before its moment")
            }
            if !covers.contains(SentReminders(step)) {
                violations.append("\(step) is not remembered")
            }
            if !said.insert("last \(step)").inserted { violations.append("\(step) twice") }
        case .missed(let deadline):
            missedTold += 1
            if deadline != before.deadline || now < deadline {
                violations.append("missed before the deadline")
            }
            if !said.insert("missed").inserted { violations.append("missed twice") }
        case .remindOfPauseEnd, .announcePauseEnd:
            violations.append("a reminder of a pause without a pause")
        }
        if schedule.isMissed(at: now), !said.contains("missed") {
            violations.append("a silence stays silent at \(now)")
        }
        checkWhatComesNext()
    }

    private mutating func checkWhatComesNext() {
        guard let next = schedule.nextDue(at: now) else { return }
        if next <= now { violations.append("the watch would look again at once") }
        if schedule.dueAction(at: next.aMillisecondBefore) != nil {
            violations.append("nextDue is later than dueAction")
        }
        if schedule.dueAction(at: next) == nil {
            violations.append("the watch is woken for nothing")
        }
    }

    private mutating func someSettings() -> CheckInSettings {
        let interval =
            [3_600, 5_400, 7_200, 7_201, 28_800, 57_600, 86_400, 172_800].randomElement(
                using: &random) ?? 3_600
        return .every(
            .seconds(interval), twoHours: !random.once(in: 3), thirtyMinutes: !random.once(in: 3))
    }
}
