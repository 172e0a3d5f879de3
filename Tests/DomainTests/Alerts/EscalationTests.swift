import Foundation
import Testing

@testable import Domain

extension Escalation {
    /// An alert that was raised at noon and told once.
    static let toldAtNoon = Escalation(startTime: noon, told: 1, attention: .none)

    /// What the watch does: it tells or asks, and remembers that it has.
    mutating func look(at now: Date) -> DueAction? {
        let action = dueAction(at: now)
        switch action {
        case .tellAgain(let count): told = count
        case .askResponder: attention = .asked(at: now)
        case .lapse(let count):
            told = count
            attention = .none
        case nil: break
        }
        return action
    }
}

/// An alert that nobody takes on is told again after 5, 15 and 30 minutes, then hourly for 24 hours.
@Suite struct EscalationTests {
    /// In minutes after the start.
    static let moments = [0, 5, 15, 30] + (1...24).map { 30 + 60 * $0 }

    @Test func theMomentsAreThoseOfTheRule() {
        #expect(Escalation.tellings == Self.moments.map { .minutes($0) })
        #expect(Escalation.tellings.last == .minutes(30) + .hours(24))
    }

    @Test("each telling comes at its moment, once", arguments: 0..<28)
    func telling(index: Int) {
        var alert = Escalation(startTime: noon, told: index, attention: .none)
        let moment = noon.adding(.minutes(Self.moments[index]))
        #expect(alert.nextDue == moment)
        #expect(alert.look(at: moment.aMillisecondBefore) == nil)
        #expect(alert.look(at: moment) == .tellAgain(told: index + 1))
        #expect(alert.look(at: moment.aMillisecondAfter) == nil)
    }

    @Test func afterTheLastOneAllIsSaid() {
        let alert = Escalation(startTime: noon, told: 28, attention: .none)
        #expect(alert.nextDue == nil)
        #expect(alert.dueAction(at: noon.adding(.days(400))) == nil)
    }

    @Test(
        "a server that was down tells once, whatever it slept through",
        arguments: [(4, nil), (5, 2), (14, 2), (15, 3), (29, 3), (30, 4), (89, 4), (90, 5), (1_469, 27), (1_470, 28), (99_999, 28)])
    func downtime(minutes: Int, told: Int?) {
        var alert = Escalation.toldAtNoon
        let back = noon.adding(.minutes(minutes))
        #expect(alert.look(at: back) == told.map { .tellAgain(told: $0) })
        #expect(alert.look(at: back) == nil)
        #expect(alert.nextDue.map { $0 > back } ?? true)
    }

    @Test func aWatchThatLooksEveryMinuteTells28TimesInAll() {
        var alert = Escalation(startTime: noon, told: 0, attention: .none)
        let tellings = (0...3_000).filter { alert.look(at: noon.adding(.minutes($0))) != nil }
        #expect(tellings == Self.moments)
    }

    @Test func aClockThatWentBackTellsNothingTwice() {
        let alert = Escalation(startTime: noon, told: 3, attention: .none)
        #expect(alert.dueAction(at: noon.adding(.minutes(5))) == nil)
        #expect(alert.dueAction(at: noon.adding(.hours(-1))) == nil)
        #expect(alert.nextDue == noon.adding(.minutes(30)))
    }
}

@Suite struct ManualAlertTests {
    @Test func fourTapsRaiseIt() {
        #expect(ManualAlertRules.progressPerTap * 3 < 1)
        #expect(ManualAlertRules.progressPerTap * 4 == 1)
    }

    @Test func threeSecondsStartOverAndThreeSecondsEnd() {
        #expect(ManualAlertRules.tapReset == .seconds(3))
        #expect(ManualAlertRules.holdToEnd == .seconds(3))
    }
}
