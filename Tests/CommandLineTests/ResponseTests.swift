import Clients
import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct ResponseTests {
    private func text(_ snapshot: Snapshot) -> String {
        StatusText(snapshot: snapshot, words: Examples.words).lines.joined(separator: "\n")
    }

    private func asked(_ role: ContactRole, isMine: Bool) throws -> ContactData {
        var ana = try Examples.contact("Ana")
        (ana.isDependent, ana.watch) = (false, nil)
        ana.requests = [.init(role: role, isMine: isMine, requestedAt: Examples.now)]
        return ana
    }

    @Test func statusShowsARequestToAnswer() throws {
        var snapshot = try Examples.snapshot()
        snapshot.contacts = [try asked(.dependent, isMine: false)]
        #expect(text(snapshot).contains("ASKS   Ana asks you to be their responder"))
        snapshot.contacts = [try asked(.responder, isMine: true)]
        #expect(!text(snapshot).contains("ASKS"))
    }

    @Test(arguments: [
        (true, false, [ContactRole.responder]), (false, true, [.dependent]),
        (true, true, [.responder, .dependent]), (false, false, [.responder, .dependent]),
    ])
    func onlyTheChosenRequestsAreAnswered(
        responder: Bool, dependent: Bool, roles: [ContactRole]
    ) throws {
        var ana = try asked(.responder, isMine: false)
        ana.requests.append(.init(role: .dependent, isMine: false, requestedAt: Examples.now))
        var options = RequestOptions()
        (options.responder, options.dependent) = (responder, dependent)
        #expect(try options.roles(of: ana, areMine: false) == roles)
        let failure = #expect(throws: CommandFailure.self) {
            try options.roles(of: ana, areMine: true)
        }
        #expect(failure?.error.code == "no-such-request")
    }

    @Test func statusDistinguishesNoRespondersFromUnaccepted() throws {
        var snapshot = try Examples.snapshot()
        #expect(text(snapshot).contains("No one is watching over you."))
        snapshot.contacts = [try asked(.responder, isMine: true)]
        #expect(text(snapshot).contains("No one has accepted yet"))
        snapshot.contacts = [try Examples.contact("Ana", responder: true)]
        #expect(!text(snapshot).contains("Nobody"))
        snapshot = Snapshot(profile: try Examples.profile())
        #expect(!text(snapshot).contains("No one is watching"), "not known yet")
    }

    @Test func onlyAWholeNameOrIDNamesSurely() throws {
        let benjamin = try Examples.contact("Benjamin")
        let sure = ["Benjamin", " benjamin ", "\(benjamin.id)"].map(benjamin.isNamed)
        #expect(sure == [true, true, true])
        let unsure = ["Ben", "", "\(UserID(UUID()))"].map(benjamin.isNamed)
        #expect(unsure == [false, false, false])
    }

    @Test func lossOfTheLastResponderIsAWarning() throws {
        let (ana, cem) = (
            try Examples.contact("Ana", responder: true),
            try Examples.contact("Cem", responder: true)
        )
        var snapshot = try Examples.snapshot()
        snapshot.contacts = [ana]
        #expect(snapshot.loss(of: ana) == ["Ana was your last responder. No one will be alerted."])
        #expect(
            snapshot.loss(of: ana, isWaiting: true) == [
                "Ana is your last responder. Once this is sent, no one will be alerted."
            ])
        snapshot.contacts = [ana, cem]
        #expect(snapshot.loss(of: ana).isEmpty && snapshot.loss(of: ana, isWaiting: true).isEmpty)
        snapshot.contacts = [ana, try asked(.responder, isMine: true)]
        #expect(snapshot.loss(of: ana).first?.contains("push only") == true)
        snapshot.contacts = [try Examples.contact("Dora")]
        #expect(snapshot.loss(of: snapshot.contacts[0]).isEmpty)
    }

    @Test(arguments: AlertReport.allCases) func reportNamesItsAuthor(report: AlertReport) throws {
        var snapshot = try Examples.snapshot()
        let ana = try Examples.contact("Ana")
        snapshot.contacts = [ana]
        var alert = Examples.alert(of: ana.id)
        alert.report = AlertAction(
            kind: report.action, responderId: "other", name: "Cem", time: Examples.now)
        alert.history = [
            AlertAction(
                kind: .withdrew, responderId: "\(Examples.me)", name: "Ben", time: Examples.now)
        ]
        let line = AlertText.line(alert, in: snapshot, Examples.words)
        #expect(line.contains(AlertWords.reported(report, by: "Cem", about: "Ana")))
        #expect(line.contains("no one is alerted again until"))
        #expect(!line.contains("no one is on it yet") && !line.contains("alert resume"))
        let timeline = AlertText.timeline(alert, in: snapshot, Examples.words)
        #expect(timeline.first == "  09:01:00  Alert raised by hand")
        #expect(timeline.last == "  09:02:00  You are no longer on it")
    }

    /// The terminal's zone is UTC.
    @Test func alertShowsTheTimesOnBothClocks() throws {
        var snapshot = try Examples.snapshot()
        var ana = try Examples.contact("Ana")
        ana.watch?.timeZone = "Asia/Tokyo"
        snapshot.contacts = [ana]
        let words = Examples.words
        for isActive in [true, false] {
            let alert = Examples.alert(of: ana.id, isActive: isActive)
            let line = AlertText.line(alert, in: snapshot, words)
            #expect(line.hasPrefix("Ana needs help, 09:01, 1 minute ago (18:01 "))
            #expect(line.contains("over since 09:02 (18:02 ") == !isActive)
            #expect(line.contains(" for them)"))
        }
        #expect(ContactText.state(ana, words).contains("10:02, 1 hour left (19:02 "))
        ana.watch?.timeZone = nil
        snapshot.contacts = [ana]
        #expect(!AlertText.line(Examples.alert(of: ana.id), in: snapshot, words).contains("them"))
    }

    @Test(arguments: [(Duration.minutes(1), false), (.seconds(61), true)])
    func alertThatBeganLateGivesTheDeadline(delay: Duration, isLate: Bool) throws {
        var snapshot = try Examples.snapshot()
        let ana = try Examples.contact("Ana")
        snapshot.contacts = [ana]
        for (owner, name) in [(ana.id, "Ana"), (Examples.me, "You")] {
            var alert = Examples.alert(of: owner, kind: .missedCheckIn)
            alert.deadline = alert.startTime.adding(.zero - delay)
            let line = AlertText.line(alert, in: snapshot, Examples.words)
            let start = "\(name) missed a check-in, 09:01, 1 minute ago; "
            #expect(line.hasPrefix("\(start)should have checked in by 08:59; ") == isLate)
            #expect(line.hasPrefix("\(start)no one is on it yet") == !isLate)
        }
    }

    @Test func ownAlertShowsReportAndRefusals() throws {
        var snapshot = try Examples.snapshot()
        var alert = Examples.alert(of: Examples.me)
        alert.report = AlertAction(
            kind: .foundSafe, responderId: "other", name: "Cem", time: Examples.now)
        let reported = AlertText.line(alert, in: snapshot, Examples.words)
        #expect(reported.contains("Cem reports that you are safe"))
        #expect(reported.contains("not true? lifesignal alert resume"))
        alert.report = nil
        alert.refusals = [
            AlertAction(kind: .declined, responderId: "other", name: "Cem", time: Examples.now)
        ]
        #expect(AlertText.line(alert, in: snapshot, Examples.words).contains("Cem can’t"))
        alert.isRefusedByAll = true
        #expect(
            AlertText.line(alert, in: snapshot, Examples.words).contains("call for help directly"))
        snapshot.alerts = [alert]
        #expect(try "\(snapshot.ownReportedAlert())" == alert.id)
        snapshot.alerts = []
        #expect(throws: CommandFailure.self) { try snapshot.ownReportedAlert() }
    }

    @Test func declineSaysWhetherOthersAreAsked() throws {
        let ana = try Examples.contact("Ana")
        var alert = Examples.alert(of: ana.id)
        let declined = "You have said that you can't."
        #expect(AlertText.declined(alert) == "\(declined) Others are being asked.")
        #expect(
            AlertText.declined(alert, hasAccepted: false)
                == "\(declined) Others have the alert, too.")
        alert.isRefusedByAll = true
        #expect(AlertText.declined(alert) == "\(declined) No one else is left.")
        // Only the owner reads whom to call.
        let line = AlertText.line(alert, in: try Examples.snapshot(), Examples.words)
        #expect(line.contains("no one is on it yet"))
        alert.isRefusedByAll = nil
        alert.report = AlertAction(
            kind: .foundSafe, responderId: "other", name: "Cem", time: Examples.now)
        #expect(AlertText.declined(alert) == declined)
        alert.report = nil
        alert.acknowledgement = .init(
            responderId: "other", name: "Cem", time: Examples.now, afterSeconds: 1)
        #expect(AlertText.declined(alert) == declined)
        alert.isActive = false
        #expect(AlertText.declined(alert) == "This alert has ended: there was nothing to do.")
    }

    @Test func onlyTheOwnerAndAcceptedRespondersSeeReports() throws {
        let (ana, cem) = (try Examples.contact("Ana"), try asked(.dependent, isMine: false))
        var snapshot = try Examples.snapshot()
        snapshot.contacts = [ana, cem]
        #expect(snapshot.seesReports(on: Examples.alert(of: Examples.me)))
        #expect(snapshot.seesReports(on: Examples.alert(of: ana.id)))
        #expect(!snapshot.seesReports(on: Examples.alert(of: cem.id)))
        #expect(!snapshot.seesReports(on: Examples.alert(of: UserID(UUID()))))
    }

    @Test func ignoredRefusalIsNotConfirmed() throws {
        let ana = try Examples.contact("Ana")
        var alert = Examples.alert(of: ana.id)
        func act(_ kind: AlertAction.Kind, by person: String) {
            alert.history.append(
                AlertAction(kind: kind, responderId: person, name: "Cem", time: Examples.now))
        }
        let declined = "You have said that you can't. Others are being asked."
        let ignored = "You have changed your answer too often, so this one does not count."
        act(.resumed, by: Examples.me.description)
        act(.declined, by: "other")
        #expect(AlertText.declined(alert, by: Examples.me) == ignored)
        #expect(AlertText.declined(alert) == declined)
        act(.declined, by: Examples.me.description)
        act(.resumed, by: "other")
        #expect(AlertText.declined(alert, by: Examples.me) == declined)
        alert.isActive = false
        let ended = "This alert has ended: there was nothing to do."
        #expect(AlertText.declined(alert, by: Examples.me) == ended)
    }

    @Test func ownAlertNamesTheDeviceThatEndedIt() throws {
        var alert = Examples.alert(of: Examples.me, isActive: false)
        alert.ending = .init(sessionId: "s", deviceName: "Tablet")
        let line = AlertText.line(alert, in: try Examples.snapshot(), Examples.words)
        #expect(line.contains("ended on “Tablet”"))
    }

    @Test func alertIsFoundByItsIDOrItsOwner() throws {
        var snapshot = try Examples.snapshot()
        let ana = try Examples.contact("Ana")
        snapshot.contacts = [ana]
        let failure = #expect(throws: CommandFailure.self) { try snapshot.alertID("Ana") }
        #expect(failure?.error.code == "no-alert" && failure?.status == .refused)
        let missed = Examples.alert(of: ana.id, kind: .missedCheckIn)
        let manual = Examples.alert(of: ana.id)
        snapshot.alerts = [missed, manual]
        #expect(try "\(snapshot.alertID("ana"))" == manual.id, "a call for help comes first")
        #expect(try "\(snapshot.alertID(missed.id))" == missed.id)
    }

    @Test func nameMeansThePreferredAlert() throws {
        var snapshot = try Examples.snapshot()
        let ana = try Examples.contact("Ana")
        snapshot.contacts = [ana]
        var missed = Examples.alert(of: ana.id, kind: .missedCheckIn)
        missed.acknowledgement = .init(
            responderId: "\(Examples.me)", name: "Ben", time: Examples.now, afterSeconds: 5)
        var manual = Examples.alert(of: ana.id)
        func mine(_ text: String) throws -> String {
            try "\(snapshot.alertID(text, preferring: snapshot.isMine))"
        }
        snapshot.alerts = [missed, manual]
        #expect(try mine("Ana") == missed.id)
        #expect(try mine(manual.id) == manual.id, "an id means that alert")
        manual.acknowledgement = missed.acknowledgement
        snapshot.alerts = [missed, manual]
        #expect(try mine("Ana") == manual.id, "the user is on both")
        manual.acknowledgement = nil
        missed.acknowledgement = nil
        snapshot.alerts = [missed, manual]
        #expect(try mine("Ana") == manual.id, "the user is on neither")
    }

    @Test func nameConfirmsTheOtherAlertsOfThePerson() throws {
        var snapshot = try Examples.snapshot()
        let (ana, cem) = (try Examples.contact("Ana"), try Examples.contact("Cem"))
        snapshot.contacts = [ana, cem]
        let missed = Examples.alert(of: ana.id, kind: .missedCheckIn)
        var (manual, other) = (Examples.alert(of: ana.id), Examples.alert(of: cem.id))
        manual.acknowledgement = .init(
            responderId: "\(Examples.me)", name: "Ben", time: Examples.now, afterSeconds: 5)
        other.acknowledgement = manual.acknowledgement
        snapshot.alerts = [missed, manual, other]
        #expect(snapshot.helpedAlerts(besides: missed).map(\.description) == [manual.id])
        #expect(snapshot.helpedAlerts(besides: manual) == [])
    }

    @Test func answerNamesTheOtherAlertThatNoOneIsOn() throws {
        var snapshot = try Examples.snapshot()
        let (ana, cem) = (try Examples.contact("Ana"), try Examples.contact("Cem"))
        snapshot.contacts = [ana, cem]
        let manual = Examples.alert(of: ana.id)
        var missed = Examples.alert(of: ana.id, kind: .missedCheckIn)
        snapshot.alerts = [missed, manual, Examples.alert(of: cem.id)]
        func lines(_ alert: AlertRecord) -> [String] {
            AlertText.stillOpen(besides: alert, in: snapshot, Examples.words)
        }
        #expect(lines(manual).count == 1 && lines(missed).count == 1)
        let line = try #require(lines(manual).first)
        #expect(line.hasPrefix("Still open: Ana missed a check-in, 09:01"))
        #expect(line.hasSuffix("no one is on it yet.  \(missed.id)"))
        missed.acknowledgement = .init(
            responderId: "other", name: "Cem", time: Examples.now, afterSeconds: 5)
        snapshot.alerts[0] = missed
        #expect(lines(manual).isEmpty)
        missed.acknowledgement?.responderId = "\(Examples.me)"
        snapshot.alerts[0] = missed
        let own = try #require(lines(manual).first)
        #expect(own.hasPrefix("Still open, and you are on it: Ana missed a check-in, 09:01"))
        missed.isActive = false
        snapshot.alerts = [missed, manual]
        #expect(lines(manual).isEmpty && lines(missed).count == 1)
    }

    /// The end of a call for help isn't the end of the user's other alert.
    @Test func endNamesTheUsersOtherAlert() throws {
        var snapshot = try Examples.snapshot()
        let ended = Examples.alert(of: Examples.me, isActive: false)
        var missed = Examples.alert(of: Examples.me, kind: .missedCheckIn)
        missed.acknowledgement = .init(
            responderId: "other", name: "Cem", time: Examples.now, afterSeconds: 5)
        snapshot.alerts = [missed, ended]
        let lines = AlertText.stillOpen(besides: ended, in: snapshot, Examples.words)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("Still open: You missed a check-in, 09:01") == true)
        snapshot.alerts = [ended]
        #expect(AlertText.stillOpen(besides: ended, in: snapshot, Examples.words).isEmpty)
    }
}
