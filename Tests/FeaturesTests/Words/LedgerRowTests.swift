import Domain
import Foundation
import Testing

@testable import Features

@Suite struct LedgerRowTests {
    /// - Parameter second: after `Fixture.now`.
    private func entry(
        _ state: DeliveryState, by channel: DeliveryChannel = .sms, to user: UserID = Fixture.ben,
        at second: Int = 0, attempts: Int = 1, reason: DeliveryReason? = nil
    ) -> AlertRecord.LedgerEntry {
        AlertRecord.LedgerEntry(
            recipientId: user.description, name: "Name \(second)", channel: channel, state: state,
            time: Fixture.now.adding(.seconds(second)), attempts: attempts,
            reason: reason.map { "\($0)" })
    }

    @Test func replacedMessageIsShownIfItWasPerhapsSent() {
        for (reason, words) in [
            (DeliveryReason.unconfirmed, ["seen", "perhaps texted"]), (.superseded, ["seen"]),
        ] {
            let ledger = [entry(.seen), entry(.superseded, at: 1, reason: reason)]
            #expect(LedgerRow.rows(of: ledger).map(\.words) == [words])
        }
    }

    @Test func givenUpMessageIsShownAsPerhapsSentAfterALostAnswer() {
        for (reason, words) in [
            (DeliveryReason.timeout, "perhaps texted"), (.http(503), "text not delivered"),
        ] {
            let rows = LedgerRow.rows(of: [entry(.givenUp, reason: reason)])
            #expect(rows.map(\.words) == [[words]])
        }
    }

    @Test func eachResultHasItsWords() {
        let cases: [(DeliveryChannel, DeliveryState, Int, String)] = [
            (.sms, .accepted, 1, "texted"), (.voice, .accepted, 1, "called"),
            (.email, .accepted, 1, "sent an e-mail"), (.stream, .accepted, 1, "told in the app"),
            (.webhook, .accepted, 1, "sent a push message"),
            (.webPush, .accepted, 1, "sent to the browser"),
            (.apns, .accepted, 1, "sent to the phone"), (.fcm, .accepted, 1, "sent to the phone"),
            (.sms, .queued, 0, "text waits"), (.voice, .queued, 0, "call waits"),
            (.sms, .queued, 1, "text on its way"), (.email, .queued, 0, "e-mail on its way"),
            (.stream, .queued, 0, "message in the app not shown yet"),
            (.voice, .sending, 1, "call on its way"),
            (.sms, .retrying, 1, "text not delivered yet"),
            (.webPush, .received, 1, "message to the browser arrived"),
            (.apns, .received, 1, "message to the phone arrived"), (.sms, .seen, 1, "seen"),
            (.voice, .acknowledged, 1, "answered"), (.sms, .failed, 1, "text not delivered"),
            (.webhook, .givenUp, 5, "push message not delivered"),
            (.sms, .superseded, 0, "text not needed"), (.voice, .superseded, 0, "call not needed"),
            (.sms, .superseded, 1, "replaced by newer news"),
            (.email, .superseded, 0, "replaced by newer news"),
        ]
        for (channel, state, attempts, words) in cases {
            let rows = LedgerRow.rows(of: [entry(state, by: channel, attempts: attempts)])
            #expect(rows.map(\.words) == [[words]], "\(channel) \(state)")
        }
    }

    @Test func personWhoHasNotAcceptedHasNoDetails() {
        let asked = entry(.queued, by: .stream, attempts: 0, reason: .notAccepted)
        let words = "not an accepted responder"
        #expect(LedgerRow.rows(of: [asked]).map(\.words) == [[words]])
        #expect(asked.words == words)
        let answered = entry(.acknowledged, by: .stream, attempts: 0, reason: .notAccepted)
        #expect(LedgerRow.rows(of: [answered]).map(\.words) == [["answered"]])
        #expect(answered.words == words)
    }

    @Test func personHasOneRowByTimeWithTheAnswerLast() {
        let ledger = [
            entry(.accepted, to: Fixture.cleo, at: 9), entry(.accepted, at: 3),
            entry(.acknowledged, by: .webPush, at: 1), entry(.accepted, at: 2),
            entry(.accepted, by: .voice, at: 4),
        ]
        let rows = LedgerRow.rows(of: ledger)
        #expect(rows.map(\.id) == [Fixture.cleo.description, Fixture.ben.description])
        #expect(rows.map(\.words) == [["texted"], ["texted", "called", "answered"]])
        // The newest message has the current name.
        #expect(rows.map(\.name) == ["Name 9", "Name 4"])
        #expect(rows.map(\.time) == [9, 4].map { Fixture.now.adding(.seconds($0)) })
    }

    @Test func deliveredMessageHidesTheNeedlessOnes() {
        typealias Told = (DeliveryChannel, DeliveryState, Int)
        func words(_ told: [Told]) -> [[String]] {
            let ledger = told.enumerated().map { second, it in
                entry(it.1, by: it.0, at: second, attempts: it.2)
            }
            return LedgerRow.rows(of: ledger).map(\.words)
        }
        let needless: [Told] = [
            (.voice, .superseded, 0), (.stream, .queued, 0), (.webPush, .superseded, 1),
        ]
        let first: [Told] = [(.sms, .seen, 1)]
        let second: [Told] = [(.sms, .accepted, 1), (.voice, .accepted, 1)]
        #expect(words(first + needless + second) == [["seen", "texted", "called"]])
        let answered: [Told] = [(.sms, .acknowledged, 1)]
        #expect(words(answered + needless) == [["answered"]])
        #expect(words([(.sms, .accepted, 1), (.voice, .queued, 0)]) == [["texted", "call waits"]])
        let others: [(DeliveryChannel, DeliveryState, String)] = [
            (.sms, .failed, "text not delivered"),
            (.console, .accepted, "shown on the server’s screen"),
        ]
        for (channel, state, result) in others {
            let untold: [Told] = [(.stream, .queued, 0), (channel, state, 1)]
            #expect(words(untold) == [["message in the app not shown yet", result]])
        }
        #expect(words([(.voice, .superseded, 0)]) == [["call not needed"]])
    }

    /// They may have no app that could show the message.
    @Test func responderWhoStoppedCannotBeReached() {
        let ledger = [
            entry(.superseded, by: .stream, attempts: 0), entry(.queued, by: .stream, at: 1),
            entry(.queued, by: .stream, to: Fixture.cleo),
        ]
        let rows = LedgerRow.rows(of: ledger, stopped: [Fixture.ben.description])
        #expect(rows.map(\.words) == [["can’t be reached"], ["message in the app not shown yet"]])
        let shown = LedgerRow.rows(
            of: [entry(.accepted, by: .stream)], stopped: [Fixture.ben.description])
        #expect(shown.map(\.words) == [["told in the app"]])
    }

    private func act(
        _ kind: AlertAction.Kind, by user: UserID = Fixture.ben, at second: Int,
        isLossOfRole: Bool? = nil
    ) -> AlertAction {
        AlertAction(
            kind: kind, responderId: user.description, name: "Ben",
            time: Fixture.now.adding(.seconds(second)), isLossOfRole: isLossOfRole)
    }

    @Test func answerHasItsOwnTime() {
        let ledger = [entry(.acknowledged), entry(.acknowledged, by: .voice, at: 2)]
        for kind in [AlertAction.Kind.acknowledged, .foundSafe, .declined] {
            let rows = LedgerRow.rows(of: ledger, actions: [act(kind, at: 90)])
            #expect(rows.map(\.time) == [Fixture.now.adding(.seconds(90))])
            #expect(rows.map(\.earlier) == [nil])
        }
        let lapsed = [act(.acknowledged, at: 90), act(.lapsed, at: 900)]
        let rows = LedgerRow.rows(of: ledger, actions: lapsed)
        #expect(rows.map(\.time) == [Fixture.now.adding(.seconds(90))])
    }

    @Test func alarmAfterTheAnswerEndsTheRow() {
        typealias Told = (DeliveryChannel, DeliveryState, Int)
        func row(_ kind: AlertAction.Kind, _ new: [Told]) -> LedgerRow? {
            let old = [entry(.accepted), entry(.acknowledged, by: .webPush, at: 1)]
            let ledger = old + new.map { entry($0.1, by: $0.0, at: 180, attempts: $0.2) }
            return LedgerRow.rows(of: ledger, actions: [act(kind, at: 90)]).first
        }
        func earlier(_ answer: String) -> LedgerRow.Earlier {
            .init(words: ["texted", answer], time: Fixture.now.adding(.seconds(90)))
        }
        let waits = row(.foundSafe, [(.sms, .queued, 0)])
        #expect(waits?.earlier == earlier("answered"))
        #expect(waits?.words == ["text waits"])
        #expect(waits?.time == Fixture.now.adding(.seconds(180)))
        #expect(row(.declined, [(.sms, .accepted, 1)])?.earlier == earlier("can’t come"))
        // The first alarm reached the person, but the new one hasn't yet.
        let unseen = row(.acknowledged, [(.stream, .queued, 0)])
        #expect(unseen?.words == ["message in the app not shown yet"])
        let told = row(.acknowledged, [(.stream, .queued, 0), (.sms, .accepted, 1)])
        #expect(told?.words == ["texted"] && told?.earlier == earlier("answered"))
        // News that was withdrawn unsent.
        let withdrawn = row(.acknowledged, [(.sms, .superseded, 0)])
        #expect(withdrawn?.words == ["texted", "answered"] && withdrawn?.earlier == nil)
        #expect(withdrawn?.time == Fixture.now.adding(.seconds(90)))
    }

    /// Ben lost his role after 90 seconds. He returned, and was told again.
    @Test func endOfTheRoleIsNoRefusal() {
        let lost = act(.withdrew, at: 90, isLossOfRole: true)
        let before = [entry(.accepted)]
        let gone = LedgerRow.rows(of: before, actions: [lost])
        #expect(gone.map(\.words) == [["texted", "stopped being a responder"]])
        #expect(gone.map(\.time) == [Fixture.now.adding(.seconds(90))])
        let back = LedgerRow.rows(
            of: before + [entry(.accepted, by: .voice, at: 180)], actions: [lost])
        #expect(back.map(\.words) == [["called"]])
        #expect(back.map(\.earlier?.words) == [["texted", "stopped being a responder"]])
    }

    @Test func lastActionOfThePersonDecidesAboutTheRefusal() {
        let ledger = [
            entry(.acknowledged), entry(.accepted, by: .voice, at: 1),
            entry(.acknowledged, to: Fixture.cleo),
        ]
        func words(_ kinds: [AlertAction.Kind], by user: UserID = Fixture.ben) -> [[String]] {
            let actions = kinds.map { kind in
                act(kind, by: user, at: 1)
            }
            return LedgerRow.rows(of: ledger, actions: actions).map(\.words)
        }
        let answered = [["called", "answered"], ["answered"]]
        #expect(words([]) == answered)
        #expect(words([.declined, .acknowledged]) == answered)
        #expect(words([.declined], by: Fixture.ana) == answered)
        for refusal in [AlertAction.Kind.declined, .withdrew] {
            #expect(words([.acknowledged, refusal]) == [["called", "can’t come"], ["answered"]])
        }
    }
}
