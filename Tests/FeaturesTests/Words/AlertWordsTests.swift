import Domain
import Foundation
import Testing

@testable import Features

@Suite struct AlertWordsTests {
    @Test func aHoldIsUnderWayBetweenItsEnds() {
        var state = AlertFeature.State(isAlertActive: true)
        #expect(!state.isEnding)
        state.deactivationProgress = 0.01
        #expect(state.isEnding)
        state.deactivationProgress = 1
        #expect(!state.isEnding)
        state.deactivationProgress = 0.5
        state.isDeactivatingAlert = true
        #expect(!state.isEnding && state.holdWords == "Ending …")
    }

    @Test func pressesAreCounted() {
        let words = [0, 0.25, 0.75].map { AlertFeature.State(activationProgress: $0).pressWords }
        #expect(words == ["Call for help: press 4 times", "1 of 4", "3 of 4"])
    }

    @Test func alertIsOnAsSoonAsItIsRaised() {
        #expect(!AlertFeature.State().isOnOrBeingRaised)
        let raising = AlertFeature.State(isActivatingAlert: true)
        #expect(raising.isOnOrBeingRaised && raising.title == "Calling for help …")
        let active = AlertFeature.State(isAlertActive: true)
        #expect(active.isOnOrBeingRaised && active.title == "Alert is on")
    }

    @Test func textsWithoutRespondersPromiseNoHelp() {
        var state = AlertFeature.State()
        #expect(state.nobodyToldWords == "Your responders are being told.")
        #expect(state.noAnswerWords.hasPrefix("No one is on it yet."))
        state.hasResponders = false
        #expect(state.nobodyToldWords == "You have no responders now.")
        #expect(
            state.noAnswerWords == "No one is told: you have no responders. Call for help directly."
        )
        state.isSendingStart = true
        #expect(state.nobodyToldWords == "No one.")
    }

    /// An alert that begins long after its deadline, as after an outage, shows the deadline.
    @Test(
        arguments: [
            (AlertKind.missedCheckIn, Duration.minutes(-30), true),
            (.missedCheckIn, .seconds(-59), false), (.missedCheckIn, .hours(24), false),
            (.journey, .minutes(-30), false),
        ])
    func lateAlertShowsItsDeadline(kind: AlertKind, deadline: Duration, isShown: Bool) {
        var alert = Fixture.alert(7)
        #expect(alert.shownStart == alert.startTime)
        alert.kind = kind
        let time = alert.startTime.adding(deadline)
        alert.deadline = time
        #expect(alert.shownStart == (isShown ? time : alert.startTime))
    }

    @Test func unreachableRespondersAreNotPromised() throws {
        var state = AlertFeature.State()
        var mia = try Fixture.contact(Fixture.ben, "Mia", isResponder: true)
        mia.reachability = .unreachable()
        state.setResponders(among: [mia])
        #expect(state.stoppedResponders.isEmpty)
        mia.reachability?.hasStoppedTexts = true
        state.setResponders(among: [mia])
        #expect(state.stoppedResponders == [Fixture.ben.description])
        #expect(state.nobodyToldWords == "No message reaches your responders.")
        var alert = Fixture.alert(7)
        let unheard = "No message reaches your responders. Call for help directly."
        #expect(state.noAnswerWords(to: alert) == "No one is on it yet. \(unheard)")
        #expect(state.isUnheard(alert))
        alert.ledger = [
            .init(
                recipientId: "\(Fixture.ben)", name: "Mia", channel: .stream, state: .accepted,
                time: Fixture.now, attempts: 1)
        ]
        #expect(!state.isUnheard(alert) && state.noAnswerWords(to: alert).contains("alerted again"))
        // One responder who may be reached is enough.
        var cleo = try Fixture.contact(Fixture.cleo, "Cleo", isResponder: true)
        cleo.reachability = .notProven
        state.setResponders(among: [mia, cleo])
        #expect(state.noAnswerWords.contains("alerted again"))
        #expect(state.nobodyToldWords == "Your responders are being told.")
    }

    @Test func siriSaysThatNoMessageReachesResponders() throws {
        var state = AlertFeature.State(isAlertActive: true)
        var alert = Fixture.alert(7)
        #expect(state.spokenWords(about: alert) == "Your alert was sent.")
        state.hasResponders = true
        state.areRespondersReachable = false
        let unheard = "No message reaches your responders. Call for help directly."
        #expect(
            state.spokenWords(about: alert)
                == "Your alert was sent. No one is on it yet. \(unheard)")
        // The alert was merged with an older one.
        alert.acknowledgement = .init(
            responderId: "\(Fixture.ben)", name: "Mia", time: Fixture.now, afterSeconds: 42)
        #expect(state.spokenWords(about: alert) == "Your alert was sent.")
        state.hasResponders = false
        #expect(state.spokenWords(about: alert).hasSuffix("Call for help directly."))
    }

    @Test func emptyHistoryTextMentionsFurtherPages() {
        var state = AlertFeature.State(isLoadingHistory: true)
        #expect(state.emptyHistoryWords == "Loading …")
        state.isLoadingHistory = false
        #expect(state.emptyHistoryWords == "None yet.")
        state.nextHistoryPage = "next"
        #expect(state.emptyHistoryWords == "None among the latest.")
    }

    @Test func recordNamesDurationAndHelper() {
        var record = Fixture.alert(7, end: Fixture.now.adding(.seconds(312)))
        #expect(record.openWords == "5 minutes 12 seconds" && record.helpWords == nil)
        record.endTime = nil
        #expect(record.openWords == nil)
        // The server's clock may be slightly ahead, so that the end seems to precede the start.
        record.endTime = Fixture.now.adding(.seconds(-1))
        #expect(record.openWords == "0 seconds")
        record.acknowledgement = .init(
            responderId: Fixture.ben.description, name: "Ben", time: Fixture.now, afterSeconds: 40)
        #expect(record.helpWords == "Ben took it on after 40 seconds.")
    }

    @Test(
        arguments: [
            (.withdrew, " and withdrew"), (.lostRole, " and then stopped being a responder"),
            (.lapsed, " and did not confirm"), (.released, ""),
        ] as [(AlertRecord.Acknowledgement.End, String)])
    func endedAlertSaysWhoDidNotStayOnIt(
        end: AlertRecord.Acknowledgement.End, words: String
    ) throws {
        var taken = AlertRecord.Acknowledgement(
            responderId: Fixture.ben.description, name: "Ben", time: Fixture.now, afterSeconds: 40)
        taken.end = end
        var record = Fixture.alert(7, end: Fixture.now)
        record.isActive = false
        record.acknowledgement = taken
        #expect(record.helpWords == "Ben took it on after 40 seconds\(words).")
        // The alert was taken on all the same.
        #expect(AlertSummary([record]).words.contains("1 taken on"))
        var state = DependentAlertFeature.State(
            dependent: try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true),
            ownID: Fixture.ana)
        state.alert = record
        #expect(state.helperWords == "Ben took it on\(words)" && state.helpedSince == nil)
        state.ownID = Fixture.ben
        #expect(state.helperWords == "You took it on\(words)")
    }

    /// A report isn't a fact, but its opposite isn't known either.
    @Test func alertThatOnlyHasAReportNamesIt() throws {
        var record = Fixture.alert(7, of: Fixture.cleo, isActive: false)
        var state = DependentAlertFeature.State(
            dependent: try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true), alert: record,
            ownID: Fixture.ana)
        #expect(record.helpWords == nil && record.noHelpWords == "No one took it on.")
        #expect(state.helperWords == "No one took it on.")
        record.report = AlertAction(
            kind: .withThem, responderId: Fixture.ben.description, name: "Ben", time: Fixture.now,
            channel: .sms)
        state.alert = record
        #expect(record.helpWords == "Ben says they are with you, by text message.")
        #expect(state.helperWords == "Ben says they are with Cleo, by text message")
        state.ownID = Fixture.ben
        #expect(state.helperWords == "You said that you are with Cleo, by text message")
        record.acknowledgement = .init(
            responderId: Fixture.ana.description, name: "Ana", time: Fixture.now, afterSeconds: 1)
        state.alert = record
        #expect(record.helpWords == "Ana took it on after 1 second.")
        #expect(state.helperWords == "Ana helped")
        record.acknowledgement?.end = .withdrew
        state.alert = record
        #expect(
            record.helpWords
                == """
                Ana took it on after 1 second and withdrew. \
                Ben says they are with you, by text message.
                """)
        #expect(
            state.helperWords
                == "Ana took it on and withdrew. You said that you are with Cleo, by text message")
    }

    @Test func openAlertNamesTheReportBesideTheOffer() throws {
        var record = Fixture.alert(7, of: Fixture.cleo)
        #expect(record.noHelpWords == "No one is on it yet.")
        record.report = AlertAction(
            kind: .withThem, responderId: Fixture.ana.description, name: "Ana", time: Fixture.now)
        let state = DependentAlertFeature.State(
            dependent: try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true), alert: record,
            ownID: Fixture.ana)
        #expect(
            state.helperWords
                == "You said that you are with Cleo. If you say you’re on it, the others are told.")
    }

    @Test func recordNamesTheEndingDevice() {
        var record = Fixture.alert(7, end: Fixture.now)
        #expect(record.endPlace == nil)
        record.ending = .init(sessionId: "s", deviceName: "Tablet")
        #expect(record.endPlace == "on “Tablet”")
    }

    @Test func hintNamesWhatEndsTheAlert() throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        var state = DependentAlertFeature.State(
            dependent: ben, alert: Fixture.alert(7, of: Fixture.ben))
        #expect(state.reportHint.hasSuffix("until Ben ends it."))
        state.alert?.kind = .missedCheckIn
        #expect(state.reportHint.hasSuffix("until Ben checks in."))
    }

    @Test func totalsNameTimesOnlyWithAcknowledgements() {
        let ended = Fixture.alert(7, end: Fixture.now)
        #expect(
            AlertSummary([ended]).words
                == "1 shown: 1 raised by hand, 0 for a missed check-in. 0 taken on.")
        var helped = ended
        helped.acknowledgement = .init(
            responderId: Fixture.ben.description, name: "Ben", time: Fixture.now, afterSeconds: 60)
        #expect(
            AlertSummary([helped]).words.hasSuffix(
                "1 taken on, half of them within 1 minute, all within 1 minute."))
    }

    @Test func emergencyNumberTextsMatchTheCountry() throws {
        let number = EmergencyNumber(for: try PhoneNumber("+4915112345678"))
        #expect(number.words(of: nil)?.contains("where your phone is registered") == true)
        #expect(number.words(of: "Ben")?.contains("where Ben’s phone is registered") == true)
        #expect(number.advice(of: nil) == "In another country, call the number used there.")
        let none: EmergencyNumber? = nil
        #expect(none.words(of: nil) == nil)
        #expect(
            none.advice(of: "Ben") == "Call your local emergency number, and say where Ben is.")
    }

    @Test func dependentAlertTitleNamesItsState() throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        var state = DependentAlertFeature.State(dependent: ben, ownID: Fixture.ana)
        #expect(state.title == "Alert of Ben")
        state.alert = Fixture.alert(7, of: Fixture.ben)
        state.alertID = Fixture.id(7)
        #expect(state.title == "Ben needs help" && state.startTitle == "Raised")
        #expect(state.showsAcknowledge && state.showsRefusal && !state.showsWithdrawal)
        #expect(state.acknowledgeWords == "I’m on it")
        state.alert?.acknowledgement = .init(
            responderId: Fixture.ana.description, name: "Ana", time: Fixture.now, afterSeconds: 1)
        #expect(state.helperWords == "You are on it" && state.acknowledgeWords == "I’m still on it")
        #expect(state.showsAcknowledge && !state.showsRefusal && state.showsWithdrawal)
        state.alert?.isActive = false
        #expect(state.title == "Ben’s alert has ended" && state.helperWords == "You helped")
        #expect(state.helpedSince == Fixture.now)
        // Older servers give only the history.
        state.alert?.history = [.acknowledged, .withdrew].map {
            AlertAction(
                kind: $0, responderId: Fixture.ana.description, name: "Ana", time: Fixture.now)
        }
        #expect(state.helperWords == "You took it on and withdrew" && state.helpedSince == nil)
        #expect(state.endingWords == "Ben ended the alert")
        #expect(!state.showsAcknowledge && !state.showsWithdrawal)
        state.alert?.kind = .missedCheckIn
        #expect(
            state.endingWords == "Ben checked in"
                && state.startTitle == "Should have checked in by")
    }
}
