import Foundation
import SeededGenerator
import Testing

@testable import Domain

/// Simulates random alerts minute by minute. Responders acknowledge, confirm, or stop answering,
/// and the server is sometimes down.
@Suite struct EscalationWalkTests {
    @Test(arguments: 0..<40)
    func everyAlarmIsSentExactlyOnce(seed: Int) {
        var walk = EscalationWalk(seed: seed)
        walk.hours(27)
        #expect(walk.violations == [])
        #expect(walk.tellings >= 1)
        #expect(walk.tellings <= 29 + walk.lapses)
    }
}

private struct EscalationWalk {
    private(set) var violations: [String] = []
    private(set) var tellings = 0
    private(set) var lapses = 0

    private var random: SeededGenerator
    private var now = noon
    private var alert = Escalation(startTime: noon, repeats: 0, attention: .none)
    private var downUntil = noon

    init(seed: Int) { random = SeededGenerator(seed: seed) }

    mutating func hours(_ count: Int) {
        for _ in 0...(count * 60) {
            if now >= downUntil { handleDue() }
            if random.once(in: 120) { alert.attention = .acknowledged(at: now) }
            if random.once(in: 400) { alert.attention = .none }
            if random.once(in: 300) {
                downUntil = now.adding(.minutes(.random(in: 1...200, using: &random)))
            }
            now = now.adding(.minutes(1))
        }
    }

    private mutating func handleDue() {
        let isDue = alert.nextDue <= now
        if isDue != (alert.dueAction(at: now) != nil) {
            violations.append("nextDue is not the moment of dueAction at \(now)")
        }
        let before = alert
        switch alert.act(at: now) {
        case .alertAgain(let nextRepeat):
            tellings += 1
            if before.attention != .none { violations.append("told though a responder is on it") }
            if nextRepeat <= before.repeats {
                violations.append("told \(nextRepeat) after \(before.repeats)")
            }
            if now < noon.adding(Escalation.moment(nextRepeat - 1)) {
                violations.append("told before its moment")
            }
        case .askResponder:
            if case .acknowledged(let time) = before.attention, now >= time.adding(.minutes(30)) {
                break
            }
            violations.append("asked without an acknowledgement of 30 minutes ago")
        case .resume:
            violations.append("resumed without a report")
        case .lapse:
            lapses += 1
            if alert.repeats < before.repeats { violations.append("the count went back") }
            if case .asked(let time) = before.attention, now >= time.adding(.minutes(5)) { break }
            violations.append("lapsed without a question of 5 minutes ago")
        case nil:
            break
        }
        let next = alert.nextDue
        if next <= now { violations.append("the watch would look again at once") }
        if alert.dueAction(at: next.aMillisecondBefore) != nil {
            violations.append("nextDue is later than dueAction")
        }
        if alert.dueAction(at: next) == nil { violations.append("the watch is woken for nothing") }
    }
}
