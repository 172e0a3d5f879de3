import Clients
import Domain
import Foundation
import Testing

import enum CommandLine.ExitStatus

@testable import CommandLine

@Suite struct StatusTests {
    private func text(_ snapshot: Snapshot) -> String {
        StatusText(snapshot: snapshot, words: Examples.words).lines.joined(separator: "\n")
    }

    @Test func statusShowsTheNextDeadline() throws {
        let text = text(try Examples.snapshot())
        #expect(
            text.contains(
                "Ben\nChecked in 08:59, 3 minutes ago. Next by tomorrow 08:59, 23 h 57 min left."))
        #expect(text.contains("Online."))
    }

    @Test func statusShowsLockMoveAndMaintenance() throws {
        var snapshot = try Examples.snapshot()
        #expect(!text(snapshot).contains("locked"))
        let later = Examples.now.addingTimeInterval(3_600)
        snapshot.profile?.lockedAt = Examples.now
        snapshot.profile?.numberMove = NumberMove(
            phoneNumber: try PhoneNumber("+15550199"), takesEffectAt: later)
        snapshot.profile?.maintenance = Maintenance(from: Examples.now, until: later)
        let shown = text(snapshot)
        #expect(shown.contains("Maintenance of the server: 09:02 – 10:02\nYour account is lock"))
        #expect(shown.contains("change to +15550199, 10:02. To keep it: lifesignal administrators"))
        let json = Output.json(StatusView(snapshot, at: Examples.now))
        for key in ["lockedAt", "numberMove", "maintenance"] { #expect(json.contains(key)) }
        snapshot.profile?.maintenance = Maintenance(
            from: Examples.now.addingTimeInterval(-60), until: Examples.now)
        #expect(!text(snapshot).contains("Maintenance"))
        #expect(!Output.json(StatusView(snapshot, at: Examples.now)).contains("maintenance"))
    }

    @Test func contactsInNeedComeFirst() throws {
        var snapshot = try Examples.snapshot()
        let (zoe, ana) = (
            try Examples.contact("Zoe", status: .alertActive), try Examples.contact("Ana")
        )
        snapshot.contacts = [ana, zoe]
        snapshot.alerts = [Examples.alert(of: zoe.id)]
        #expect(snapshot.contactsInOrder.map(\.name) == ["Zoe", "Ana"])
        #expect(
            text(snapshot).contains(
                """
                ALERT  Zoe needs help, 09:01, 1 minute ago; no one is on it yet.  \
                \(snapshot.alerts[0].id)
                """
            ))
    }

    @Test func deadlinePassesOffline() throws {
        #expect(try Examples.contact("Ana", left: 1).status(at: Examples.now) == .active)
        #expect(try Examples.contact("Ana", left: 0).status(at: Examples.now) == .nonResponsive)
        #expect(
            ContactText.state(try Examples.contact("Ana", left: -60), Examples.words)
                == "NOT RESPONDING, was due 09:01, 1 minute over")
    }

    /// Ana may have checked in since this device last heard from the server.
    @Test(arguments: [(-61.0, true), (-60.0, false), (-59.0, false)])
    func offlineDeadlineIsNotConfirmed(lastSynced: TimeInterval, isUnconfirmed: Bool) throws {
        var snapshot = try Examples.snapshot()
        let ana = try Examples.contact("Ana", left: -60)
        snapshot.contacts = [ana]
        snapshot.connectivity = Connectivity(
            isOnline: false, lastSynced: Examples.now.addingTimeInterval(lastSynced))
        let (said, json) = (text(snapshot), Output.json(StatusView(snapshot, at: Examples.now)))
        let words = "Overdue, not confirmed, was due 09:01, 1 minute over"
        #expect(said.contains(words) == isUnconfirmed)
        #expect(said.contains("NOT RESPONDING") == !isUnconfirmed)
        #expect(json.contains("isUnconfirmed") == isUnconfirmed)
        snapshot.connectivity.isOnline = true
        #expect(text(snapshot).contains("NOT RESPONDING, was due"))
        #expect(!Output.json(StatusView(snapshot, at: Examples.now)).contains("isUnconfirmed"))
    }

    @Test func offlineAlertOrJourneyOfADependentIsConfirmed() throws {
        var snapshot = try Examples.snapshot()
        snapshot.connectivity = Connectivity(
            isOnline: false, lastSynced: Examples.now.addingTimeInterval(-3_600))
        let cases: [(UserStatus, TimeInterval)] = [
            (.alertActive, -60), (.nonResponsive, 60), (.active, 60),
        ]
        for (status, left) in cases {
            snapshot.contacts = [try Examples.contact("Ana", left: left, status: status)]
            #expect(!text(snapshot).contains("not confirmed"), "\(status)")
        }
    }

    @Test func offlineStatusShowsAgeAndQueue() throws {
        var snapshot = try Examples.snapshot()
        let waiting = WaitingAction(id: UUID(), kind: .checkIn, createdAt: Examples.now)
        snapshot.connectivity = Connectivity(
            isOnline: false, lastSynced: Examples.now.addingTimeInterval(-180), waiting: [waiting])
        #expect(
            text(snapshot).hasSuffix(
                "Offline: as of 08:59, 3 minutes ago.\nWaiting to be sent: your check-in of 09:02.")
        )
    }

    @Test func statusAfterARefusedLoadSaysToWait() throws {
        var snapshot = try Examples.snapshot()
        snapshot.isRateLimited = true
        #expect(text(snapshot).contains("Online."))
        snapshot.connectivity = Connectivity(
            isOnline: false, lastSynced: Examples.now.addingTimeInterval(-180))
        let words = "LifeSignal asks you to wait: as of 08:59, 3 minutes ago."
        #expect(text(snapshot).hasSuffix(words) && !text(snapshot).contains("Offline"))
        #expect(
            StatusText(snapshot: snapshot, words: Examples.words).page().first == words)
    }

    @Test func queuedPingIsNotShownAsSent() throws {
        var snapshot = try Examples.snapshot()
        var ana = try Examples.contact("Ana")
        ana.pingedAt = Examples.now
        snapshot.contacts = [ana]
        #expect(text(snapshot).contains("pinged just now, no answer yet"))
        snapshot.connectivity.waiting = [
            WaitingAction(id: UUID(), kind: .ping, createdAt: Examples.now, contact: ana.id)
        ]
        #expect(text(snapshot).contains("your ping waits to be sent"))
        #expect(!text(snapshot).contains("no answer yet"))
        let json = Output.json(ContactView(ana, at: Examples.now, in: snapshot))
        #expect(json.contains("\"isPingWaiting\":true"))
    }

    @Test(arguments: WaitingAction.Kind.allCases) func actionsHaveNames(kind: WaitingAction.Kind) {
        #expect(kind.words.own.contains(" "))
    }

    @Test func numbersAndNotesAreShownOnlyOnRequest() throws {
        var snapshot = try Examples.snapshot()
        snapshot.contacts = [try Examples.contact("Ana")]
        let json = Output.json(StatusView(snapshot, at: Examples.now))
        #expect(
            !json.contains("+1555") && !json.contains("secret note")
                && !text(snapshot).contains("+1555"))
        let asked = Output.json(ContactView(snapshot.contacts[0], at: Examples.now, isWhole: true))
        #expect(asked.contains("+15550100") && asked.contains("secret note"))
    }

    @Test func contactIsFoundByIDOrNameOrPrefix() throws {
        var snapshot = try Examples.snapshot()
        snapshot.contacts = [
            try Examples.contact("Ana"), try Examples.contact("Anabel"),
            try Examples.contact("Cem"),
        ]
        #expect(try snapshot.contact("ana").name == "Ana", "a whole name wins")
        #expect(try snapshot.contact("anab").name == "Anabel")
        #expect(try snapshot.contact("\(snapshot.contacts[2].id)").name == "Cem")
        for (typed, code) in [
            ("an", "ambiguous-contact"), ("Dora", "no-such-contact"), ("", "no-such-contact"),
        ] {
            let failure = #expect(throws: CommandFailure.self) { try snapshot.contact(typed) }
            #expect(failure?.error.code == code && failure?.status == .usage)
        }
    }

    @Test func answerListsTheQueue() throws {
        let waiting = WaitingAction(id: UUID(), kind: .raiseAlert, createdAt: Examples.now)
        let circumstances = Circumstances(
            isOnline: false,
            connectivity: Connectivity(
                isOnline: false, lastSynced: Examples.now, waiting: [waiting]))
        let json = Output.json(circumstances)
        #expect(
            json.contains("\"asOf\":\"2026-11-22T09:02:00.000Z\"")
                && json.contains("\"kind\":\"raiseAlert\"") && json.contains("\"isOnline\":false"))
        #expect(!json.contains("isRateLimited"))
        let report = Report(lines: [], json: ["a": 1], showsCopy: true)
        #expect(
            Output.tail(of: report, circumstances, Examples.words) == [
                "LifeSignal can't be reached: as of 09:02, just now."
            ])
        let limited = Circumstances(
            isOnline: false, isRateLimited: true,
            connectivity: Connectivity(isOnline: false, lastSynced: Examples.now))
        #expect(Output.json(limited).contains("\"isRateLimited\":true"))
        #expect(
            Output.tail(of: report, limited, Examples.words) == [
                "LifeSignal asks you to wait: as of 09:02, just now."
            ])
    }

    @Test(arguments: [
        ("unreachable", ExitStatus.unreachable), ("unavailable", .unreachable),
        ("unauthenticated", .notSignedIn), ("not-found", .refused),
        ("rate-limited", .refused), ("unsent", .waiting), ("storage", .failed),
        ("already-exists", .refused), ("malformed-answer", .unreachable),
        ("internal", .unreachable), ("unknown", .failed),
    ]) func everyFailureHasItsExitCode(code: String, status: ExitStatus) {
        let error = UserFacingError(title: "T", message: "M.", recoverySuggestion: "S.", code: code)
        #expect(CommandFailure(catching: error).status == status)
        #expect(Output.text(CommandFailure(error)) == "Error: T. M.\nS.")
    }
}

@Suite struct QRDrawingTests {
    /// With the quiet zone, 29 modules are 19 lines.
    @Test func tooLowTerminalIsMentioned() throws {
        let modules = Array(repeating: true, count: 29 * 29)
        let drawing = QRDrawing(image: QRCodeImage(png: Data(), side: 29, modules: modules))
        #expect(drawing.lines(.darkOnLight).count == 19)
        #expect(drawing.shortage(of: 23, isForAnyCamera: false) == nil)
        let text = try #require(drawing.shortage(of: 22, isForAnyCamera: false))
        #expect(text.contains("it needs 23 lines") && text.contains("--any-camera"))
        let other = try #require(drawing.shortage(of: 22, isForAnyCamera: true))
        #expect(other.contains("qr save FILE") && !other.contains("--any-camera"))
    }

    private let image = QRCodeImage(png: Data(), side: 2, modules: [true, false, true, true])

    @Test func quietZoneIsFourModulesOnEachSide() {
        let lines = QRDrawing(image: image).lines(.darkOnLight)
        #expect(lines == ["          ", "          ", "    █▄    ", "          ", "          "])
    }

    @Test func lightOnDarkIsInverted() {
        let lines = QRDrawing(image: image).lines(.lightOnDark)
        #expect(lines[0] == "██████████" && lines[2] == "████ ▀████")
    }

    @Test func oddHeightEndsInWhite() {
        let lines = QRDrawing(image: QRCodeImage(png: Data(), side: 1, modules: [true])).lines(
            .darkOnLight)
        #expect(lines.count == 5 && lines[2] == "    ▀    " && lines[4] == "         ")
    }

    @Test func colouredStyleIsBlackOnWhite() {
        #expect(
            QRDrawing(image: image).lines(.coloured).allSatisfy {
                $0.hasPrefix("\u{1B}[30;107m") && $0.hasSuffix("\u{1B}[0m")
            })
    }

    @Test func requestIsDescribedFromTheUsersSide() throws {
        var contact = try Examples.contact("Ana")
        contact.isDependent = false
        (contact.phoneNumber, contact.watch) = (nil, nil)
        contact.requests = [.init(role: .responder, isMine: true, requestedAt: Examples.now)]
        #expect(ContactText.relation(contact) == "has not accepted yet to be your responder")
        contact.requests = [.init(role: .dependent, isMine: false, requestedAt: Examples.now)]
        #expect(ContactText.relation(contact) == "asks you to be their responder")
        var snapshot = Snapshot()
        snapshot.contacts = [contact]
        #expect(
            ContactText.table(snapshot, Examples.words) == [
                "Ana  asked                 asks you to be their responder"
            ])
    }
}
