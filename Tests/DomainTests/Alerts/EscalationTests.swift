import Foundation
import Testing

@testable import Domain

extension Escalation {
    /// An alert raised at noon, after the first alarm.
    static let toldAtNoon = Escalation(startTime: noon, repeats: 1, attention: .none)

    /// Returns the due action and records it, as the deadline monitor does.
    mutating func act(at now: Date) -> DueAction? {
        let action = dueAction(at: now)
        switch action {
        case .alertAgain(let count): repeats = count
        case .askResponder: attention = .asked(at: now)
        case .lapse, .resume:
            repeats = pastAlarms(at: now)
            attention = .none
        case nil: break
        }
        return action
    }
}

/// Without an acknowledgement, an alert is repeated after 5, 15 and 30 minutes, then hourly up to
/// 24 hours, every 6 hours up to 7 days, and then daily.
@Suite struct EscalationTests {
    /// When the alarms of the first ten days are due, in minutes after the start.
    static let moments: [Int] =
        [0, 5, 15, 30] + (1...24).map { 60 * $0 }
        + stride(from: 30, through: 168, by: 6).map { 60 * $0 }
        + [192, 216, 240].map { 60 * $0 }

    @Test func repeatMomentsMatchTheRule() {
        #expect(
            Self.moments.indices.map { Escalation.moment($0) } == Self.moments.map { .minutes($0) })
        #expect(Escalation.moment(52 + 365) - Escalation.moment(52) == .days(365))
    }

    @Test("the count of moments changes at each moment", arguments: 0..<55)
    func count(index: Int) {
        let moment = Duration.minutes(Self.moments[index])
        #expect(Escalation.moments(passedAfter: moment - .milliseconds(1)) == index)
        #expect(Escalation.moments(passedAfter: moment) == index + 1)
    }

    @Test("each repeat is due once, at its moment", arguments: 0..<55)
    func repeating(index: Int) {
        var alert = Escalation(startTime: noon, repeats: index, attention: .none)
        let moment = noon.adding(.minutes(Self.moments[index]))
        #expect(alert.nextDue == moment)
        #expect(alert.act(at: moment.aMillisecondBefore) == nil)
        #expect(alert.act(at: moment) == .alertAgain(repeats: index + 1))
        #expect(alert.act(at: moment.aMillisecondAfter) == nil)
    }

    @Test("an open alert never goes silent", arguments: [1, 28, 52, 400])
    func thereIsAlwaysANextMoment(repeats: Int) {
        var alert = Escalation(startTime: noon, repeats: repeats, attention: .none)
        let due = alert.nextDue
        #expect(alert.act(at: due) == .alertAgain(repeats: repeats + 1))
        #expect(alert.nextDue > due)
    }

    @Test(
        "a server that was down repeats once for all missed repeats",
        arguments: [
            (4, nil), (5, 2), (14, 2), (15, 3), (29, 3), (30, 4), (59, 4), (60, 5), (1_439, 27),
            (1_440, 28), (1_799, 28), (1_800, 29), (10_080, 52), (11_519, 52), (11_520, 53),
        ])
    func downtime(minutes: Int, repeats: Int?) {
        var alert = Escalation.toldAtNoon
        let back = noon.adding(.minutes(minutes))
        #expect(alert.act(at: back) == repeats.map { .alertAgain(repeats: $0) })
        #expect(alert.act(at: back) == nil)
        #expect(alert.nextDue > back)
    }

    @Test func clockSetBackCausesNoRepeat() {
        let alert = Escalation(startTime: noon, repeats: 3, attention: .none)
        #expect(alert.dueAction(at: noon.adding(.minutes(5))) == nil)
        #expect(alert.dueAction(at: noon.adding(.hours(-1))) == nil)
        #expect(alert.nextDue == noon.adding(.minutes(30)))
    }

    @Test func ownerIsToldAfter15UnacknowledgedMinutes() {
        let alert = Escalation.toldAtNoon
        let moment = noon.adding(.minutes(15))
        #expect(!alert.isTimeToTellOwner(at: moment.aMillisecondBefore))
        #expect(alert.isTimeToTellOwner(at: moment))
        let taken = Escalation(startTime: noon, repeats: 1, attention: .acknowledged(at: noon))
        #expect(!taken.isTimeToTellOwner(at: moment))
    }

    @Test func anotherMissedDeadlineKeepsTheAcknowledgement() {
        let attention = Escalation.Attention.acknowledged(at: noon.adding(.hours(30)))
        let old = Escalation(startTime: noon, repeats: 29, attention: attention)
        let again = old.restarted(at: noon.adding(.hours(31)))
        #expect(again.startTime == noon.adding(.hours(31)))
        #expect(again.repeats == 1)
        #expect(again.attention == attention)
    }
}

@Suite struct RaisingTests {
    private let received = noon.adding(.minutes(11))

    @Test func anAlertStartsWhenItWasRaised() {
        #expect(AlertRules.moment(raisedAt: noon, receivedAt: received) == noon)
        #expect(AlertRules.moment(raisedAt: nil, receivedAt: received) == received)
        let longAgo = noon.adding(.days(-400))
        #expect(AlertRules.moment(raisedAt: longAgo, receivedAt: received) == longAgo)
    }

    @Test func futureStartBecomesNow() {
        #expect(
            AlertRules.moment(raisedAt: received.adding(.days(2)), receivedAt: received) == received
        )
    }

    @Test func alertIsLateAfterAMinuteInTransit() {
        let minute = noon.adding(.minutes(1))
        #expect(!AlertRules.cameLate(startedAt: noon, receivedAt: minute))
        #expect(AlertRules.cameLate(startedAt: noon, receivedAt: minute.aMillisecondAfter))
    }

    @Test func missedDeadlineIsNamedIfTheAlertBeganLate() {
        let deadline = noon.adding(.minutes(-1))
        func late(_ deadline: Date?, _ kind: AlertKind = .missedCheckIn) -> Date? {
            AlertRules.lateDeadline(deadline, of: kind, startedAt: noon)
        }
        #expect(late(deadline) == nil && late(nil) == nil)
        #expect(late(deadline.aMillisecondBefore) == deadline.aMillisecondBefore)
        // A later missed deadline restarts the open alert.
        #expect(late(noon.adding(.hours(24))) == nil)
        // Texts about a journey always give the return.
        #expect(late(deadline.aMillisecondBefore, .journey) == nil)
    }

    @Test func refusalsRestartAtMostEveryHalfHour() {
        let pause = Escalation.pauseBetweenRefusals
        #expect(Escalation.restartsAfterRefusals(last: nil, at: noon))
        let almost = noon.adding(pause).aMillisecondBefore
        #expect(!Escalation.restartsAfterRefusals(last: noon, at: almost))
        #expect(Escalation.restartsAfterRefusals(last: noon, at: noon.adding(pause)))
        #expect(Escalation.restartsAfterRefusals(last: noon.aMillisecondAfter, at: noon))
    }

    @Test func lateAlertStatesBothTimes() {
        let late = NotificationText.alertRaised(name: "Ana", at: noon, receivedAt: received)
        #expect(late.body == "Ana raised an alert at 12:00 UTC, received at 12:11 UTC.")
        let inTime = NotificationText.alertRaised(name: "Ana", at: noon, receivedAt: noon)
        #expect(inTime.body == "Ana raised an alert at 12:00 UTC.")
    }

    @Test func fourthEndWithin10MinutesIsDelayed() {
        #expect(StormRules.delayOfEnd(recentAlerts: 3) == .zero)
        #expect(StormRules.delayOfEnd(recentAlerts: 4) == .minutes(10))
    }
}
