import Foundation
import SeededGenerator
import Testing

@testable import Domain

/// Simulates random weeks with times, intervals, pauses and a change of clocks, in steps of five
/// minutes.
@Suite struct PlanWalkTests {
    @Test(arguments: 0..<40)
    func rulesHoldAfterEveryStep(seed: Int) {
        var walk = PlanWalk(seed: seed)
        walk.days(12)
        #expect(walk.violations.isEmpty, "\(walk.violations.prefix(5))")
    }

    @Test func walksCoverEveryAction() {
        var seen: [String: Int] = [:]
        for seed in 0..<40 {
            var walk = PlanWalk(seed: seed)
            walk.days(12)
            seen.merge(walk.seen, uniquingKeysWith: +)
        }
        for action in ["reminder", "missed", "end of pause", "pause", "early check-in"] {
            #expect(seen[action, default: 0] > 20, "\(action)")
        }
    }
}

private struct PlanWalk {
    private(set) var violations: [String] = []
    private(set) var seen: [String: Int] = [:]

    private var random: SeededGenerator
    /// The clocks change on 29 March 2026.
    private var now = utc("2026-03-23T12:00:00Z")
    private var schedule = CheckInSchedule(settings: .standard, lastCheckIn: nil)
    /// The messages since the last new deadline or pause.
    private var said: Set<String> = []

    init(seed: Int) {
        random = SeededGenerator(seed: seed)
        _ = schedule.checkIn(at: now)
    }

    mutating func days(_ count: Int) {
        for _ in 0..<(count * 288) {
            now = now.adding(.minutes(5))
            if random.once(in: 150) { checkIn() }
            if random.once(in: 400) { change() }
            if random.once(in: 500) { pause() }
            if random.once(in: 900) { endPause() }
            handleDue()
        }
    }

    private mutating func note(_ text: String) {
        violations.append("\(text) at \(Timestamp.text(now))")
    }

    // MARK: The person

    private mutating func checkIn() {
        let old = schedule
        guard schedule.checkIn(at: now) else { return note("a check-in isn't the newest") }
        if schedule.pause != old.pause { note("a check-in changed the pause") }
        guard let before = old.deadline, let after = schedule.deadline else { return }
        if after < before { note("a check-in moved the deadline back") }
        if let sleep = schedule.settings.plan.sleep, sleep.moved(after) != after {
            note("a deadline in the sleep hours")
        }
        if after == before {
            if schedule.remindersSent != old.remindersSent { note("reminders were forgotten") }
            checkAnswer(old)
        } else {
            said = []
            if schedule.isMissed(at: now) { note("missed right after a check-in") }
        }
        checkSilence()
    }

    private mutating func checkAnswer(_ old: CheckInSchedule) {
        guard let times = old.settings.plan.times, let opening = old.opening, now < opening else {
            return
        }
        seen["early check-in", default: 0] += 1
        let told = schedule.opening(afterCheckInAt: now, before: old)
        if told != (times.isInWindow(now) ? nil : opening) { note("another opening is told") }
    }

    /// A person is never silent for longer than their form showed. A change of clocks adds an hour.
    private mutating func checkSilence() {
        guard let last = schedule.lastCheckIn, let deadline = schedule.deadline,
            let longest = schedule.settings.longestSilence, !schedule.isPaused(at: now),
            schedule.start.map({ deadline > $0.deadline }) ?? true
        else { return }
        if deadline.since(last) > longest + .hours(1) { note("a silence longer than promised") }
    }

    private mutating func change() {
        let old = schedule
        let settings = someSettings()
        schedule.apply(settings, at: now)
        if old.settings.hasSameDeadlines(as: settings) {
            if schedule.deadline != old.deadline { note("reminders changed the deadline") }
            return
        }
        said.formIntersection(PauseReminder.allCases.map { "\($0)" })
        // A check-in at the very moment of the change counts as later.
        guard let deadline = schedule.deadline, schedule.lastCheckIn != now else { return }
        if schedule.isPaused(at: now) {
            checkFirstDeadlineAfterPause()
        } else if settings.plan.kind == .times {
            let soonest = now.adding(.hours(1))
            if deadline < soonest { note("a new deadline in less than an hour") }
            if let before = old.deadline, deadline > max(before.adding(.hours(24)), soonest) {
                note("a new deadline more than a day after the old")
            }
        }
    }

    private mutating func pause() {
        guard !schedule.isMissed(at: now) else { return }
        let old = schedule
        schedule.pause(
            until: now.adding(.minutes(.random(in: 1...6000, using: &random))), at: now)
        seen["pause", default: 0] += 1
        said = []
        if !old.isPaused(at: now), schedule.lastCheckIn != now {
            note("the beginning of a pause isn't a check-in")
        }
        checkFirstDeadlineAfterPause()
    }

    private mutating func endPause() {
        guard schedule.isPaused(at: now) else { return }
        schedule.endPause(at: now)
        said = []
        if schedule.isPaused(at: now) { note("the pause goes on") }
        checkFirstDeadlineAfterPause()
    }

    private mutating func checkFirstDeadlineAfterPause() {
        guard let end = schedule.pause?.until, let deadline = schedule.deadline else { return }
        switch schedule.settings.plan.kind {
        case .interval:
            let regular = end.adding(schedule.settings.interval)
            let moved = schedule.settings.plan.sleep?.moved(regular) ?? regular
            if deadline != moved { note("not end + interval") }
        case .times:
            if deadline < end.adding(.hours(2)) { note("less than 2 hours after the end") }
        case .none: note("a deadline without a plan")
        }
    }

    // MARK: The monitor

    private mutating func handleDue() {
        let isDue = schedule.nextDue(at: now).map { $0 <= now } ?? false
        if isDue != (schedule.dueAction(at: now) != nil) {
            note("nextDue is not the moment of dueAction")
        }
        let before = schedule
        // A reminder and the end of a pause may be due together.
        while let action = schedule.act(at: now) {
            switch action {
            case .remind(let reminder, let deadline, _):
                seen["reminder", default: 0] += 1
                if before.isPaused(at: now) { note("a reminder during a pause") }
                if deadline <= now { note("a reminder after the deadline") }
                if let opening = before.opening, now < opening { note("before the opening") }
                if !said.insert("\(reminder)").inserted { note("\(reminder) twice") }
            case .remindOfPauseEnd(let end, let covers):
                seen["end of pause", default: 0] += 1
                if !before.isPaused(at: now) || end <= now { note("no pause ends") }
                for reminder in PauseReminder.allCases
                where covers.contains(SentReminders(reminder))
                    && !said.insert("\(reminder)").inserted
                {
                    note("\(reminder) twice")
                }
            case .lastCall(let step, let deadline, _):
                if before.isPaused(at: now) { note("a last call during a pause") }
                if deadline <= now { note("a last call after the deadline") }
                if !said.insert("last \(step)").inserted { note("last \(step) twice") }
            case .announcePauseEnd:
                if before.isPaused(at: now) { note("a pause that goes on has ended") }
                if !said.insert("end of pause").inserted { note("end of pause twice") }
            case .missed(let deadline):
                seen["missed", default: 0] += 1
                if before.isPaused(at: now) { note("missed during a pause") }
                if now < deadline { note("missed before the deadline") }
                if !said.insert("missed").inserted { note("missed twice") }
            }
        }
        if schedule.isMissed(at: now), !said.contains("missed") { note("a silence stays silent") }
        if let next = schedule.nextDue(at: now), next <= now { note("due again at once") }
    }

    // MARK: Settings

    private mutating func someSettings() -> CheckInSettings {
        let plans: [CheckInPlan] = [
            .interval, .times(CheckInTimes(.until("10:00"), in: "Europe/Berlin")),
            .times(CheckInTimes(.until("02:30", from: "01:30"), in: "Europe/Berlin")),
            .times(
                CheckInTimes(
                    .until("08:00"), .until("20:30", from: "20:00"), in: "Australia/Lord_Howe")),
            .times(CheckInTimes(.until("18:00", on: [.monday, .thursday]), in: "Europe/Berlin")),
            .none,
            .intervalWithSleep(
                SleepHours(
                    from: clock("23:00"), until: clock("07:30"), timeZone: "Europe/Berlin")),
        ]
        return CheckInSettings(
            plan: plans.randomElement(using: &random) ?? .interval,
            intervalSeconds: [3600, 28_800, 86_400].randomElement(using: &random) ?? 3600,
            remindTwoHoursBefore: !random.once(in: 3),
            remindThirtyMinutesBefore: !random.once(in: 3))
    }
}
