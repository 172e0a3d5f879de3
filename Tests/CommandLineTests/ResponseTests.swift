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

    @Test func aRequestThatWaitsStandsInTheStatus() throws {
        var snapshot = try Examples.snapshot()
        snapshot.contacts = [try asked(.dependent, isMine: false)]
        #expect(text(snapshot).contains("ASKS   Ana asks you to be their responder"))
        snapshot.contacts = [try asked(.responder, isMine: true)]
        #expect(!text(snapshot).contains("ASKS"))
    }

    @Test func nobodyAndNotAcceptedYetAreNotTheSame() throws {
        var snapshot = try Examples.snapshot()
        #expect(text(snapshot).contains("Nobody is watching over you."))
        snapshot.contacts = [try asked(.responder, isMine: true)]
        #expect(text(snapshot).contains("No one has accepted yet"))
        snapshot.contacts = [try Examples.contact("Ana", responder: true)]
        #expect(!text(snapshot).contains("Nobody"))
        snapshot = Snapshot(profile: try Examples.profile())
        #expect(!text(snapshot).contains("Nobody is watching"), "not known yet")
    }

    @Test func theLastResponderIsMissed() throws {
        let (ana, cem) = (
            try Examples.contact("Ana", responder: true),
            try Examples.contact("Cem", responder: true)
        )
        var snapshot = try Examples.snapshot()
        snapshot.contacts = [ana]
        #expect(snapshot.loss(of: ana) == ["Ana was your last responder. No one will be alerted."])
        snapshot.contacts = [ana, cem]
        #expect(snapshot.loss(of: ana).isEmpty)
        snapshot.contacts = [ana, try asked(.responder, isMine: true)]
        #expect(snapshot.loss(of: ana).first?.contains("push only") == true)
        snapshot.contacts = [try Examples.contact("Dora")]
        #expect(snapshot.loss(of: snapshot.contacts[0]).isEmpty)
    }

    @Test(arguments: AlertReport.allCases) func aReportSaysWhoMadeIt(report: AlertReport) throws {
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
        #expect(AlertText.line(alert, in: snapshot, Examples.words).contains("Cem "))
        let history = AlertText.history(alert, in: snapshot, Examples.words)
        #expect(history.first?.hasSuffix("You are no longer on it") == true)
    }

    @Test func anAlertIsFoundByItsIDOrByWhoNeedsHelp() throws {
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
}
