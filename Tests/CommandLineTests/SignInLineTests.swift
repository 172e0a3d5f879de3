import Clients
import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct SignInLineTests {
    @Test(arguments: [
        (SignUpMode.open, false, true), (.invited, false, false), (.invited, true, true),
        (.closed, false, false),
    ])
    func lineSaysOnlyWhatIsKnown(mode: SignUpMode, hasToken: Bool, isSure: Bool) {
        let line = SignIn.sentLine(
            "+15550100", SignInOptions(signUp: mode, sendsCodes: true), hasToken: hasToken)
        #expect(line.hasPrefix("If +15550100 may sign in here") == !isSure)
        #expect(line.contains("unless this server has reached a limit of codes") == hasToken)
    }

    @Test func otherCountriesMayGetNoCode() {
        let options = SignInOptions(signUp: .open, sendsCodes: true, limitsCountries: true)
        for hasToken in [true, false] {
            let line = SignIn.sentLine("+15550100", options, hasToken: hasToken)
            #expect(line.hasPrefix("If +15550100 may sign in here") == !hasToken)
        }
    }

    @Test func unknownRulesPromiseNoCode() {
        let line = SignIn.sentLine("+15550100", nil, hasToken: false)
        #expect(line.hasPrefix("If +15550100 may sign in here, a code is on its way."))
    }

    // MARK: The queue after signing in

    private func report(_ waiting: [WaitingAction.Kind]) throws -> Report {
        var snapshot = try Examples.snapshot()
        snapshot.contacts = [try Examples.contact("Ana", responder: true)]
        let actions = waiting.map {
            WaitingAction(id: UUID(), kind: $0, createdAt: Examples.now)
        }
        return SignIn.report(snapshot, waiting: actions, isNew: false, Examples.words)
    }

    @Test func emptyQueueIsDone() throws {
        let report = try report([])
        #expect(report.lines == ["Signed in as Ben."] && !report.isWaiting)
    }

    @Test func unsentAlertComesFirst() throws {
        let report = try report([.raiseAlert, .checkIn])
        #expect(report.isWaiting)
        #expect(report.lines.first?.hasPrefix("NOT SENT: your call for help waits") == true)
        #expect(report.lines.contains("  Ana  +15550100"))
        #expect(report.lines.contains("Signed in as Ben."))
        #expect(report.lines.last?.hasPrefix("Waiting to be sent: your check-in of") == true)
        #expect(!report.lines.joined().contains("Waiting to be sent: your call for help"))
    }

    @Test func newAlertAfterAnEndedOneIsUnsent() throws {
        #expect(try report([.raiseAlert, .endAlert, .raiseAlert]).lines[0].hasPrefix("NOT SENT"))
    }

    @Test(
        arguments: [[.raiseAlert, .endAlert], [.endAlert], [.checkIn]] as [[WaitingAction.Kind]])
    func queueWithoutAnOpenAlertOnlyWaits(kinds: [WaitingAction.Kind]) throws {
        let report = try report(kinds)
        #expect(report.isWaiting && report.lines.first == "Signed in as Ben.")
        #expect(report.lines.count == 1 + kinds.count)
        #expect(!report.lines.joined().contains("NOT SENT"))
    }

    /// The account of the alert may have been deleted, and its number may have a new one.
    @Test(arguments: [false, true])
    func unsentAlertOfAnotherAccountIsNamed(isThere: Bool) throws {
        let alert = WaitingAction(id: UUID(), kind: .raiseAlert, createdAt: Date())
        let report = SignIn.report(
            try Examples.snapshot(), waiting: [], foreign: isThere ? [alert] : [], isNew: false,
            Examples.words)
        let named = report.lines.filter { $0.contains("belongs to another account") }
        #expect(named.count == (isThere ? 1 : 0) && !report.isWaiting)
        #expect(!isThere || report.lines.first?.contains("It was NOT sent.") == true)
    }
}
