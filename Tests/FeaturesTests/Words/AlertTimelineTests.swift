import Domain
import Features
import Foundation
import Testing

@Suite struct AlertTimelineTests {
    private func alert(_ change: (inout AlertRecord) -> Void) -> AlertRecord {
        var alert = Fixture.alert(7, of: Fixture.ana)
        change(&alert)
        return alert
    }

    private func told(
        _ id: UserID, _ name: String, after seconds: Double, _ state: DeliveryState = .accepted
    ) -> AlertRecord.LedgerEntry {
        .init(
            recipientId: "\(id)", name: name, channel: .sms, state: state,
            time: Fixture.now.addingTimeInterval(seconds), attempts: 1)
    }

    private func action(
        _ kind: AlertAction.Kind, _ id: UserID = Fixture.ben, after seconds: Double
    ) -> AlertAction {
        AlertAction(
            kind: kind, responderId: "\(id)", name: "Ben",
            time: Fixture.now.addingTimeInterval(seconds))
    }

    private func words(
        _ alert: AlertRecord, reader: UserID? = nil, person: String? = nil
    ) -> [String] {
        AlertTimeline(alert, reader: reader, person: person).steps.map(\.words)
    }

    @Test func stepsFollowEachOtherInTime() {
        let record = alert {
            $0.receivedTime = Fixture.now.adding(.minutes(2))
            $0.ledger = [
                told(Fixture.ben, "Ben", after: 121), told(Fixture.cleo, "Cleo", after: 120),
            ]
            $0.history = [action(.acknowledged, after: 180), action(.foundSafe, after: 300)]
            ($0.isActive, $0.endTime) = (false, Fixture.now.adding(.minutes(6)))
            $0.ending = .init(sessionId: "s", deviceName: "Tablet")
        }
        #expect(
            words(record) == [
                "Alert raised by hand", "The alert reached LifeSignal", "Cleo: SMS sent",
                "Ben: SMS sent", "Ben took it on", "Ben reports that you are safe",
                "You ended the alert on “Tablet”",
            ])
        let timeline = AlertTimeline(record, reader: nil, person: nil)
        #expect(timeline.steps.map(\.id) == Array(0...6))
        #expect(timeline.steps.map(\.time) == timeline.steps.map(\.time).sorted())
    }

    @Test func endOfTheRoleIsNoWithdrawal() {
        let record = alert {
            $0.history = [action(.foundSafe, after: 60), action(.withdrew, after: 90)]
            $0.history[1].isLossOfRole = true
        }
        #expect(words(record).last == "Ben stopped being a responder")
    }

    @Test func stepsOfOneMomentKeepTheirOrder() {
        let record = alert {
            $0.ledger = [told(Fixture.ben, "Ben", after: 0)]
            $0.history = [action(.acknowledged, after: 0), action(.lapsed, after: 0)]
            $0.endTime = Fixture.now
        }
        #expect(
            words(record) == [
                "Alert raised by hand", "Ben: SMS sent", "Ben took it on", "Ben did not confirm",
                "You ended the alert",
            ])
    }

    @Test func readerIsCalledYou() {
        let record = alert {
            $0.kind = .missedCheckIn
            $0.ledger = [told(Fixture.ben, "Ben", after: 1)]
            $0.history = [
                action(.declined, after: 2), action(.resumed, Fixture.ana, after: 3),
            ]
            $0.endTime = Fixture.now.adding(.minutes(5))
        }
        #expect(
            words(record, reader: Fixture.ben, person: "Ana") == [
                "Missed check-in", "You: SMS sent", "You can’t", "Ben lifted the report",
                "Ana checked in",
            ])
        #expect(words(record).suffix(2) == ["You lifted the report", "You checked in"])
    }

    @Test func messagesToTheOwnerAreLeftOut() {
        let record = alert { $0.ledger = [told(Fixture.ana, "Ana", after: 1)] }
        #expect(words(record) == ["Alert raised by hand"])
    }

    @Test func acknowledgementOfAListIsAStep() {
        let record = alert {
            $0.acknowledgement = .init(
                responderId: "\(Fixture.ben)", name: "Ben", time: Fixture.now, afterSeconds: 0)
        }
        #expect(words(record) == ["Alert raised by hand", "Ben took it on"])
        #expect(record.timeline(reader: nil, person: nil) == nil, "the details are not loaded")
        var loaded = record
        loaded.history = [action(.acknowledged, after: 0)]
        #expect(words(loaded).count == 2)
        #expect(loaded.timeline(reader: nil, person: nil)?.steps.count == 2)
    }

    @Test func answerByTextMessageSaysSo() {
        let record = alert {
            var taken = action(.acknowledged, after: 1)
            taken.channel = .sms
            $0.history = [taken]
        }
        #expect(words(record).last == "Ben took it on, by text message")
    }

    @Test func deliveriesGiveTheirOtherTimes() {
        var retried = told(Fixture.ben, "Ben", after: 1, .retrying)
        retried.nextTime = Fixture.now.adding(.minutes(1))
        var seen = told(Fixture.cleo, "Cleo", after: 2, .seen)
        seen.receivedTime = Fixture.now.adding(.seconds(3))
        let steps = AlertTimeline(
            alert { $0.ledger = [retried, seen] }, reader: nil, person: nil
        ).steps
        #expect(steps.map(\.next) == [nil, retried.nextTime, nil])
        #expect(steps.map(\.arrived) == [nil, nil, seen.receivedTime])
        seen.state = .received
        retried.state = .superseded
        let settled = AlertTimeline(
            alert { $0.ledger = [retried, seen] }, reader: nil, person: nil
        ).steps
        #expect(settled.allSatisfy { $0.next == nil && $0.arrived == nil })
    }

    @Test func responderWhoStoppedHasNoMessageInTheApp() {
        var waiting = told(Fixture.ben, "Ben", after: 1, .queued)
        waiting.channel = .stream
        let record = alert { $0.ledger = [waiting] }
        #expect(
            words(record) == ["Alert raised by hand", "Ben: message in the app not shown yet"])
        let timeline = AlertTimeline(
            record, reader: nil, person: nil, stopped: [Fixture.ben.description])
        #expect(timeline.steps.map(\.words) == ["Alert raised by hand"])
    }

    @Test func openingIsOneLineAndKeepsTheMessages() {
        let opening = Fixture.now.adding(.seconds(30))
        var sms = told(Fixture.ben, "Ben", after: 1, .seen)
        (sms.reason, sms.sentTime) = ("opened", Fixture.now.adding(.seconds(3)))
        var shown = told(Fixture.ben, "Ben", after: 1, .seen)
        (shown.channel, shown.attempts) = (.stream, 0)
        (sms.changedTime, shown.changedTime) = (opening, opening)
        var arrived = told(Fixture.cleo, "Cleo", after: 2, .seen)
        arrived.changedTime = Fixture.now.adding(.seconds(5))
        let record = alert { $0.ledger = [sms, shown, arrived] }
        let steps = AlertTimeline(record, reader: Fixture.ben, person: "Ana").steps
        #expect(
            steps.map(\.words) == [
                "Alert raised by hand", "You: SMS sent", "Cleo: SMS arrived", "You: opened it",
            ])
        let times = [3, 5, 30].map { Fixture.now.adding(.seconds($0)) }
        #expect(steps.dropFirst().map(\.time) == times)
    }

    @Test func answerKeepsDeliveryTime() {
        var answered = told(Fixture.ben, "Ben", after: 1, .acknowledged)
        answered.changedTime = Fixture.now.adding(.seconds(2))
        let record = alert {
            $0.ledger = [answered]
            $0.history = [action(.acknowledged, after: 9)]
        }
        let timeline = AlertTimeline(record, reader: nil, person: nil)
        #expect(
            timeline.steps.map(\.words)
                == ["Alert raised by hand", "Ben: SMS sent", "Ben took it on"])
        #expect(timeline.steps[1].time == answered.changedTime)
    }

    @Test func answerKeepsTheArrival() {
        var sms = told(Fixture.ben, "Ben", after: 1, .acknowledged)
        sms.changedTime = Fixture.now.adding(.seconds(2))
        sms.receivedTime = Fixture.now.adding(.seconds(4))
        var push = sms
        (push.channel, push.reason) = (.webPush, "opened")
        push.openedTime = Fixture.now.adding(.seconds(6))
        let steps = AlertTimeline(
            alert { $0.ledger = [sms, push] }, reader: nil, person: nil
        ).steps
        #expect(
            steps.map(\.words) == [
                "Alert raised by hand", "Ben: push message sent", "Ben: SMS arrived",
                "Ben: opened it",
            ])
        let times = [2, 4, 6].map { Fixture.now.adding(.seconds($0)) }
        #expect(steps.dropFirst().map(\.time) == times)
        #expect(steps.map(\.arrived) == [nil, push.receivedTime, nil, nil])
    }
}
