import Domain
import Foundation
import Testing

@Suite struct AlertRulesTests {
    @Test func fourTapsRaiseAndThreeDoNot() {
        let progress = (0..<4).reduce(into: [0.0]) { list, press in
            list.append(AlertRules.progress(afterPressAt: list[press]))
        }
        #expect(progress == [0, 0.25, 0.5, 0.75, 1])
        #expect(progress.map(AlertRules.presses(at:)) == [0, 1, 2, 3, 4])
        #expect(AlertRules.tapTimeout == .seconds(4))
        #expect(AlertRules.hold == .seconds(3))
    }

    @Test func slowPressesHaveTenTimesAsLong() {
        #expect(AlertTrigger.fourPresses.timeout == .seconds(4))
        #expect(AlertTrigger.slowPresses.timeout == .seconds(40))
    }

    @Test(arguments: [(0, 2), (1, 2), (2, 4), (3, 8), (4, 16), (5, 30), (6, 30), (1_000, 30)])
    func rejectedAlertBacksOffUpTo30Seconds(failures: Int, seconds: Int) {
        #expect(AlertRules.retryDelay(afterFailures: failures) == .seconds(seconds))
    }

    @Test func alertStartsWhenRaisedButNeverInTheFuture() {
        let raised = noon.adding(.minutes(-5))
        #expect(AlertRules.moment(raisedAt: raised, receivedAt: noon) == raised)
        #expect(AlertRules.moment(raisedAt: noon.adding(.hours(9)), receivedAt: noon) == noon)
        #expect(AlertRules.moment(raisedAt: nil, receivedAt: noon) == noon)
    }

    @Test func endPressedOnAnUnsetClockEndsNoNewerAlert() {
        let pressed = Date(milliseconds: 5_000)
        func isEnded(sentAt: Date?, startedAt: Date) -> Bool {
            AlertRules.isEnded(
                byPressAt: AlertRules.endMoment(
                    pressedAt: pressed, sentAt: sentAt, receivedAt: noon),
                startedAt: startedAt)
        }
        for sentAt in [nil, noon] {
            #expect(!isEnded(sentAt: sentAt, startedAt: noon.adding(.days(-1))))
        }
        // The clock was not set between the press and the sending, a minute later.
        let sent = pressed.adding(.minutes(1))
        #expect(isEnded(sentAt: sent, startedAt: noon.adding(.minutes(-1))))
        #expect(!isEnded(sentAt: sent, startedAt: noon.adding(.seconds(-59))))
        // Such a clock raises an alert now, and a future press counts as now.
        #expect(AlertRules.moment(raisedAt: pressed, receivedAt: noon) == noon)
        #expect(
            AlertRules.endMoment(pressedAt: noon.adding(.hours(9)), receivedAt: noon) == noon)
    }

    /// The machine's clock and the device's clock show the same wrong time. Both are an hour ahead
    /// of the server's corrected time.
    @Test func knownClockErrorCorrectsAnAlertsTime() {
        let raised = noon.adding(.minutes(55))
        let moment = AlertRules.moment(raisedAt: raised, receivedAt: noon, clockGap: .hours(1))
        #expect(moment == noon.adding(.minutes(-5)))
    }

    private func alert(
        _ number: UInt8, _ kind: AlertKind, of user: UserID = ada, isOpen: Bool = true
    ) -> AlertRecord {
        AlertRecord(
            id: "\(id(number) as AlertID)", startTime: noon, endTime: isOpen ? nil : noon,
            userId: "\(user)", isActive: isOpen, kind: kind)
    }

    @Test func manualAlertIsMoreUrgentThanMissedCheckIn() {
        let (call, missed) = (alert(1, .manual), alert(2, .missedCheckIn))
        for alerts in [[call, missed], [missed, call]] {
            #expect(AlertRules.mostUrgent(of: ada, among: alerts) == call)
            #expect(AlertRules.open(of: ada, among: alerts) == [call, missed])
        }
        #expect(AlertRules.mostUrgent(of: ada, among: [missed]) == missed)
    }

    @Test func endedAndOthersAlertsAreNotUrgent() {
        let missed = alert(2, .missedCheckIn)
        let others = [alert(1, .manual, isOpen: false), alert(3, .manual, of: ben), missed]
        #expect(AlertRules.mostUrgent(of: ada, among: others) == missed)
        #expect(AlertRules.mostUrgent(of: ada, among: others.dropLast()) == nil)
    }

    /// A page must never show the names and answers of another alert.
    @Test func detailsStayWithTheirAlert() {
        var (known, newer) = (alert(1, .manual), alert(1, .manual))
        known.othersTold = ["Cleo"]
        #expect(newer.keepingDetails(of: known).othersTold == ["Cleo"])
        newer.othersTold = ["Dora"]
        #expect(newer.keepingDetails(of: known).othersTold == ["Dora"])
        let other = alert(2, .manual)
        #expect(other.keepingDetails(of: known) == other)
    }

    // MARK: Changes of an answer

    @Test func onlyAcknowledgingAndTheServersQuestionAreFree() {
        let free: [AlertAction.Kind] = [.acknowledged, .confirmed, .lapsed]
        for kind in AlertAction.Kind.allCases {
            #expect(ActRules.isChange(kind) != free.contains(kind), "\(kind)")
        }
    }

    @Test func aPersonChangesTheirAnswer20TimesADay() {
        let nineteen = Array(repeating: noon, count: 19)
        let end = noon.adding(.hours(24))
        #expect(ActRules.wait(after: nineteen, at: noon) == nil)
        #expect(
            ActRules.wait(after: nineteen + [noon], at: end.aMillisecondBefore)
                == .milliseconds(1))
        #expect(ActRules.wait(after: nineteen + [noon], at: end) == nil)
    }
}
