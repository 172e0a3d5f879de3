import Clients
import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct JourneyTests {
    private let words = Examples.words

    /// Back in an hour, at 10:02.
    private func journey(
        left: TimeInterval = 3_600, responders: [UserID]? = nil, alert: AlertID? = nil
    ) -> JourneyRecord {
        JourneyRecord(
            id: JourneyID(UUID()), name: "Zugspitze", note: "Blue car\nwith Cem",
            startTime: Examples.now, expectedReturn: Examples.now.addingTimeInterval(left),
            responderIds: responders, alertId: alert)
    }

    private func overdue(of user: UserID) -> AlertRecord {
        var alert = Examples.alert(of: user, kind: .journey)
        (alert.journey, alert.deadline) = ("Zugspitze", Examples.now.addingTimeInterval(-660))
        return alert
    }

    /// The person may have said on another device that they have arrived.
    @Test func extendingAnEndedJourneyIsRefused() throws {
        var profile = try #require(try Examples.snapshot().profile)
        let extended = journey()
        profile.journey = extended
        try JourneyCommand.checkExtended(extended.id, .confirmed(profile))
        try JourneyCommand.checkExtended(extended.id, .waiting)
        profile.journey = journey()
        let another = #expect(throws: CommandFailure.self) {
            try JourneyCommand.checkExtended(extended.id, .confirmed(profile))
        }
        #expect(another?.error.code == "no-journey" && another?.status == .refused)
        profile.journey = nil
        #expect(throws: CommandFailure.self) {
            try JourneyCommand.checkExtended(extended.id, .confirmed(profile))
        }
    }

    /// The server ignores a press that is older than a return that was chosen on another device.
    @Test func onlyAMovedReturnIsSaved() {
        let before = journey()
        var after = before
        #expect(JourneyCommand.saved(after, after: before) == "Your return stays as it was.")
        after.expectedReturn += 1
        #expect(JourneyCommand.saved(after, after: before) == "Your return is saved.")
    }

    // MARK: The journey in words

    @Test func statusShowsTheJourney() throws {
        var snapshot = try Examples.snapshot()
        snapshot.profile?.journey = journey()
        let lines = StatusText(snapshot: snapshot, words: words).lines
        #expect(lines.contains("On a journey, Zugspitze: back by 10:02, 1 hour left."))
        #expect(!lines.joined().contains("Blue car"), "the note is only shown on request")
        let json = Output.json(StatusView(snapshot, at: Examples.now))
        #expect(json.contains("\"expectedReturn\":\"2026-11-22T10:02:00.000Z\""))
        #expect(json.contains("\"deadline\":\"2026-11-22T10:12:00.000Z\""))
        #expect(!json.contains("Blue car"))
    }

    @Test func passedReturnSaysWhatToDo() {
        #expect(!JourneyText.line(journey(left: 1), words).contains("arrive"))
        #expect(
            JourneyText.line(journey(left: 0), words).hasSuffix(
                "0 seconds over. Say that you have arrived: lifesignal journey arrive"))
        #expect(
            JourneyText.line(journey(left: -600, alert: AlertID(UUID())), words).hasSuffix(
                "ALERT: lifesignal journey arrive|extend"))
    }

    /// It is 09:02 here, and 10:02 in Berlin.
    @Test func typedTimeIsShownInItsZone() throws {
        var snapshot = try Examples.snapshot()
        snapshot.contacts = [try Examples.contact("Ana", responder: true)]
        let lines = JourneyText.lines(journey(), in: snapshot, words, typedIn: "Europe/Berlin")
        #expect(
            Array(lines.prefix(2)) == [
                """
                On a journey, Zugspitze: back by 11:02 Berlin time (10:02 here), 1 hour left.
                """,
                """
                Told at 11:12 Berlin time (10:12 here) if you have not arrived: all your \
                responders.
                """,
            ])
        let same = JourneyText.line(journey(), words, typedIn: "Atlantic/Reykjavik")
        #expect(same == JourneyText.line(journey(), words))
    }

    @Test func journeyNamesWhoIsTold() throws {
        var snapshot = try Examples.snapshot()
        let ana = try Examples.contact("Ana", responder: true)
        let bea = try Examples.contact("Bea", responder: true)
        snapshot.contacts = [ana, bea]
        #expect(
            JourneyText.lines(journey(), in: snapshot, words).dropFirst() == [
                "Told at 10:12 if you have not arrived: all your responders.",
                "Note:", "  Blue car", "  with Cem",
            ])
        var chosen = journey(responders: [ana.id])
        (chosen.note, chosen.tellsResponders) = ("", true)
        #expect(
            JourneyText.lines(chosen, in: snapshot, words).dropFirst() == [
                "Told at 10:12 if you have not arrived: Ana.",
                "All your responders, if no one is on it by 10:27.",
                """
                They see your journey in LifeSignal. People without LifeSignal hear of it by \
                e-mail, not by SMS.
                """,
            ])
        snapshot.contacts = [ana]
        #expect(
            JourneyText.lines(chosen, in: snapshot, words).dropFirst() == [
                "Told at 10:12 if you have not arrived: Ana.",
                """
                They see your journey in LifeSignal. People without LifeSignal hear of it by \
                e-mail, not by SMS.
                """,
            ])
    }

    @Test func journeyFollowsTheLossOfResponders() throws {
        var snapshot = try Examples.snapshot()
        let bea = try Examples.contact("Bea", responder: true)
        snapshot.contacts = [bea]
        var journey = journey(responders: [UserID(UUID())])
        (journey.note, journey.tellsResponders) = ("", true)
        #expect(
            JourneyText.lines(journey, in: snapshot, words).dropFirst() == [
                "Told at 10:12 if you have not arrived: all your responders."
            ])
        #expect(!JourneyText.arrived(journey, in: snapshot).contains("being told"))
        journey.alertId = AlertID(UUID())
        #expect(JourneyText.arrived(journey, in: snapshot).contains("being told"))
        snapshot.contacts = [try Examples.contact("Cem")]
        #expect(
            JourneyText.lines(journey, in: snapshot, words).dropFirst() == [
                "No one is told: you have no responders."
            ])
        #expect(!JourneyText.arrived(journey, in: snapshot).contains("being told"))
        #expect(!JourneyText.untilSent(journey, in: snapshot, words).contains("told at"))
        journey.responderIds = nil
        snapshot.contacts = [bea]
        #expect(JourneyText.untilSent(journey, in: snapshot, words).contains("told at 10:12"))
    }

    @Test func contactShowsAJourneyThatTheyToldOf() throws {
        var ana = try Examples.contact("Ana")
        ana.watch?.journey = WatchedJourney(
            name: "Zug\u{1B}", expectedReturn: Examples.now.addingTimeInterval(3_600))
        var snapshot = try Examples.snapshot()
        snapshot.contacts = [ana]
        let line = ContactText.table(snapshot, words).joined()
        #expect(line.contains("on a journey, Zug\u{FFFD}: back by 10:02, 1 hour left"))
        #expect(Output.json(ContactView(ana, at: Examples.now)).contains("\"expectedReturn\""))
    }

    @Test func overdueJourneyIsNotAMissedCheckIn() throws {
        let ana = try Examples.contact("Ana", status: .nonResponsive)
        #expect(ana.status(at: Examples.now) == .nonResponsive)
        #expect(
            ContactText.state(ana, words) == "NOT RESPONDING; 10:02, 1 hour left")
        var profile = try Examples.profile()
        profile.journey = journey(alert: AlertID(UUID()))
        #expect(ProfileView(profile, at: Examples.now).status == .nonResponsive)
        profile.journey?.alertId = nil
        #expect(ProfileView(profile, at: Examples.now).status == .active)
    }

    // MARK: The alert

    @Test func alertNamesTheJourney() throws {
        var snapshot = try Examples.snapshot()
        let ana = try Examples.contact("Ana")
        snapshot.contacts = [ana]
        let alert = overdue(of: ana.id)
        #expect(
            AlertText.line(alert, in: snapshot, words).hasPrefix(
                """
                Ana is not back from Zugspitze, 09:01, 1 minute ago; expected back by 08:51; \
                no one is on it yet.
                """))
        #expect(
            AlertText.line(overdue(of: Examples.me), in: snapshot, words).hasPrefix(
                "You are not back from Zugspitze, "))
        var nameless = alert
        nameless.journey = nil
        #expect(AlertText.line(nameless, in: snapshot, words).contains("from a journey"))
        let total = AlertText.totals([alert], limit: 20)[0]
        #expect(total.contains("0 for a missed check-in, 1 for a journey;"))
    }

    /// All others are alerted 15 minutes after the alert's begin, which an outage delays.
    @Test func ownAlertNamesTheChosenResponders() throws {
        var snapshot = try Examples.snapshot()
        let ana = try Examples.contact("Ana", responder: true)
        let bea = try Examples.contact("Bea", responder: true)
        snapshot.contacts = [ana, bea, try Examples.contact("Cem", responder: true)]
        snapshot.profile?.journey = journey(left: -660, responders: [ana.id])
        let words = "Ana is alerted, all others at 09:16 if nobody is on it"
        func line(
            of user: UserID, begunAgo seconds: TimeInterval = 60, refusals: [AlertAction]? = nil
        ) -> String {
            var alert = overdue(of: user)
            alert.refusals = refusals
            alert.startTime = Examples.now.addingTimeInterval(-seconds)
            return AlertText.line(alert, in: snapshot, self.words)
        }
        #expect(line(of: Examples.me).contains(words) && !line(of: ana.id).contains(words))
        snapshot.profile?.journey?.responderIds = [ana.id, bea.id]
        let refusal = AlertAction(
            kind: .declined, responderId: "\(bea.id)", name: "Bea", time: Examples.now)
        #expect(line(of: Examples.me, refusals: [refusal]).contains(words))
        snapshot.profile?.journey = journey(left: -1_560, responders: [ana.id])
        #expect(line(of: Examples.me).contains(words))
        #expect(!line(of: Examples.me, begunAgo: 960).contains("is alerted"))
        snapshot.profile?.journey = journey(left: -660)
        #expect(!line(of: Examples.me).contains("is alerted"))
    }

    @Test func changeNamesTheJourney() throws {
        var snapshot = try Examples.snapshot()
        let old = snapshot
        snapshot.alerts = [overdue(of: Examples.me)]
        #expect(
            Change.between(old, snapshot, at: Examples.now).map(\.text) == [
                "ALERT: You are not back from Zugspitze."
            ])
    }

    @Test func noteIsShownOnlyWithTheWholeAlert() throws {
        let snapshot = try Examples.snapshot()
        var alert = overdue(of: Examples.me)
        alert.note = "Blue car"
        #expect(!Output.json(AlertView(alert, in: snapshot)).contains("Blue car"))
        let whole = Output.json(AlertView(alert, in: snapshot, isWhole: true))
        #expect(whole.contains("\"note\":\"Blue car\"") && whole.contains("\"journey\""))
        #expect(JourneyText.note("\u{1B}x\ny") == ["Note:", "  \u{FFFD}x", "  y"])
        #expect(JourneyText.note("").isEmpty)
    }

    // MARK: Typed arguments

    @Test func returnIsTheNextMomentOfTheTypedTime() throws {
        let berlin = try #require(ClockZone("Europe/Berlin"))
        // In Berlin it is 10:02.
        func moment(_ text: String) -> String? {
            ReturnText(text)?.moment(at: Examples.now, from: Examples.now, in: berlin)
                .map(berlin.localText)
        }
        #expect(moment("18:00") == "2026-11-22T18:00")
        #expect(moment("10:03") == "2026-11-22T10:03")
        #expect(moment("10:02") == "2026-11-23T10:02")
        #expect(moment("9:30") == "2026-11-23T09:30")
        #expect(moment("+2h") == "2026-11-22T12:02")
        #expect(moment("2026-11-28 08:00") == "2026-11-28T08:00")
    }

    @Test func tomorrowIsRightAfterADayOf25Hours() throws {
        let berlin = try #require(ClockZone("Europe/Berlin"))
        let now = try #require(berlin.moment(ofLocalText: "2026-10-25T00:30"))
        let back = ReturnText("00:15")?.moment(at: now, from: now, in: berlin)
        #expect(back.map(berlin.localText) == "2026-10-26T00:15")
    }

    @Test(arguments: ["", "+", "+2", "2h", "25:00", "tomorrow", "-30m", "2026-11-28"])
    func invalidReturnIsNil(text: String) { #expect(ReturnText(text) == nil) }

    @Test func respondersAreChosenByName() throws {
        var snapshot = try Examples.snapshot()
        let ana = try Examples.contact("Ana", responder: true)
        snapshot.contacts = [ana, try Examples.contact("Cem")]
        #expect(try snapshot.responders([]) == nil)
        #expect(try snapshot.responders(["ana", "Ana"]) == [ana.id])
        for (name, code) in [("Cem", "no-responder"), ("Dora", "no-such-contact")] {
            let failure = #expect(throws: CommandFailure.self) { try snapshot.responders([name]) }
            #expect(failure?.error.code == code)
        }
    }

    @Test func withoutAJourneyNothingEnds() throws {
        var snapshot = try Examples.snapshot()
        let failure = #expect(throws: CommandFailure.self) { try snapshot.runningJourney() }
        #expect(failure?.error.code == "no-journey" && failure?.status == .refused)
        snapshot.profile?.journey = journey()
        #expect(try snapshot.runningJourney().1 == snapshot.profile?.journey)
    }
}
