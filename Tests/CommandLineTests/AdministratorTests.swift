import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct AdministratorTests {
    @Test func lineShowsReasonAndAdministrator() {
        let act = AdminAct(
            id: AdminActID(UUID()), time: Examples.now, kind: .lock, reason: "Spam\u{1B}[2J",
            doneBy: "root")
        let time = Examples.words.moment(Examples.now)
        #expect(act.line(Examples.words) == "\(time)  Account locked: Spam\u{FFFD}[2J (root)")
    }

    /// The apps' texts name Settings, which a terminal doesn't have.
    @Test func lockedAccountNamesTheCommand() {
        let words = RefusalWords.accountLocked
        let error = UserFacingError(
            title: "That is locked", message: words.message,
            recoverySuggestion: words.suggestion, code: .accountLocked)
        let failure = CommandFailure(catching: error)
        #expect(failure.status == .refused && failure.error.message == words.message)
        #expect(failure.error.recoverySuggestion.contains("`lifesignal administrators`"))
        #expect(!failure.error.recoverySuggestion.contains("Settings"))
    }

    @Test func notificationsThatNameSettingsNameTheCommands() {
        let lines = Notifications.settings(["All is well.", "Stop it in Settings."])
        #expect(lines.count == 1 && lines[0].contains("lifesignal sign-in-lock"))
        #expect(Notifications.settings(["All is well."]) == [])
    }

    /// The command replaces the codes.
    @Test func onlyAdviceToMakeCodesNamesTheirCommand() {
        let texts = [
            "Make new codes in Settings while you are signed in.",
            "If you did not make them, make others in Settings.", "Stop it in Settings.",
        ]
        let hints = texts.flatMap { Notifications.settings([$0]) }
        #expect(hints.map { $0.contains("lifesignal recovery-codes") } == [true, true, false])
    }
}
