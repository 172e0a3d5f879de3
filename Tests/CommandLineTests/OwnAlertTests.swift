import Clients
import Domain
import Foundation
import Testing

import enum CommandLine.ExitStatus

@testable import CommandLine

@Suite struct OwnAlertTests {
    private func snapshot(_ contacts: [ContactData]) throws -> Snapshot {
        var snapshot = try Examples.snapshot()
        snapshot.contacts = contacts
        return snapshot
    }

    private func acknowledged(by responder: UserID, _ name: String) -> AlertRecord {
        var alert = Examples.alert(of: UserID(UUID()))
        alert.acknowledgement = .init(
            responderId: "\(responder)", name: name, time: Examples.now, afterSeconds: 5)
        return alert
    }

    @Test func alertTextSaysThatRespondersAreNotified() throws {
        let ana = try Examples.contact("Ana", responder: true, dependent: false)
        let text = AlertText.raised(try snapshot([ana])).joined(separator: "\n")
        #expect(text.contains("your responders are being told"))
    }

    @Test func alertTextWarnsWithoutResponders() throws {
        let ana = try Examples.contact("Ana")
        let text = AlertText.raised(try snapshot([ana])).joined(separator: "\n")
        #expect(text.contains("no one is told") && text.contains("lifesignal alert stop"))
        #expect(!text.contains("being told"))
    }

    @Test func alertTextWarnsIfNothingReachesTheResponders() throws {
        var ana = try Examples.contact("Ana", responder: true, dependent: false)
        ana.reachability = .unreachable()
        let unheard = AlertText.raised(try snapshot([ana])).joined(separator: "\n")
        #expect(unheard.contains("no message reaches your responders"))
        #expect(!unheard.contains("being told") && unheard.contains("lifesignal alert stop"))
        ana.reachability = .notProven
        let told = AlertText.raised(try snapshot([ana])).joined(separator: "\n")
        #expect(told.contains("your responders are being told"))
    }

    @Test func statusSaysToCallIfNoOneIsReached() throws {
        let advice = ": call for help directly."
        let alert = Examples.alert(of: Examples.me)
        func line(_ contacts: [ContactData]) throws -> String {
            AlertText.line(alert, in: try snapshot(contacts), Examples.words)
        }
        var ana = try Examples.contact("Ana", responder: true, dependent: false)
        ana.reachability = .unreachable()
        #expect(try line([ana]).contains("yet; no message reaches your responders\(advice)"))
        #expect(try line([]).contains("yet; you have no responders\(advice)"))
        ana.reachability = .notProven
        #expect(try !line([ana]).contains(advice))
    }

    @Test func checkInNamesTheAlertsThatStay() throws {
        var snapshot = try snapshot([])
        snapshot.alerts = [Examples.alert(of: Examples.me, kind: .missedCheckIn)]
        #expect(AlertText.afterCheckIn(snapshot).isEmpty && AlertText.afterCheckIn(nil).isEmpty)
        snapshot.alerts = [
            Examples.alert(of: Examples.me), Examples.alert(of: UserID(UUID())),
            Examples.alert(of: Examples.me, kind: .journey),
        ]
        #expect(
            AlertText.afterCheckIn(snapshot) == [
                "Your alert is still on: lifesignal alert stop",
                "The alert about your journey is still on: lifesignal journey arrive|extend",
            ])
    }

    @Test func checkInListsOwnOpenAlertsForScripts() throws {
        var snapshot = try snapshot([])
        func kinds(in snapshot: Snapshot?) -> [AlertKind]? {
            CheckInView(nil, isWaiting: snapshot == nil, ownAlertsIn: snapshot).ownAlerts?
                .map(\.kind)
        }
        #expect(kinds(in: nil) == nil)
        #expect(kinds(in: snapshot) == [])
        snapshot.alerts = [
            Examples.alert(of: Examples.me), Examples.alert(of: UserID(UUID())),
            Examples.alert(of: Examples.me, kind: .journey, isActive: false),
        ]
        #expect(kinds(in: snapshot) == [.manual])
    }

    @Test func queuedAlertIsNotShownAsSent() throws {
        let alert = Examples.alert(of: Examples.me)
        var sent = try snapshot([])
        sent.alerts = [alert]
        var unsent = sent
        unsent.connectivity.waiting = [
            WaitingAction(id: UUID(), kind: .raiseAlert, createdAt: alert.startTime)
        ]
        let line = AlertText.line(alert, in: unsent, Examples.words)
        #expect(line.hasPrefix("NOT SENT: You called for help, 09:01, 1 minute ago; we don't know"))
        #expect(!line.contains("no one is on it yet"))
        let status = StatusText(snapshot: unsent, words: Examples.words)
        #expect(status.lines.first?.hasPrefix("ALERT  NOT SENT") == true)
        #expect(status.lines.count { $0.contains("ALERT") } == 1)
        #expect(status.page().count { $0.contains("ALERT") } == 1)
        #expect(Output.json(StatusView(unsent, at: Examples.now)).contains("\"isUnsent\":true"))
        let change = Change.between(try snapshot([]), unsent, at: Examples.now).first
        #expect(change?.text.contains("NOT SENT") == true)

        #expect(AlertText.line(alert, in: sent, Examples.words).contains("no one is on it yet"))
        #expect(!Output.json(StatusView(sent, at: Examples.now)).contains("isUnsent"))
        // The alert on the server is older than the queued call.
        unsent.connectivity.waiting[0].createdAt += 60
        #expect(AlertText.line(alert, in: unsent, Examples.words).contains("no one is on it yet"))
    }

    @Test func alertTextOmitsRespondersBeforeContactsAreKnown() {
        let text = AlertText.raised(Snapshot()).joined(separator: "\n")
        #expect(text.contains("LifeSignal has it") && !text.contains("told"))
    }

    @Test func alertTextOmitsRespondersThatCouldNotBeLoaded() throws {
        #expect(
            AlertText.raised(nil) == [
                "ALERT: LifeSignal has it. It is over when you run `lifesignal alert stop`."
            ])
        #expect(AlertText.ended(nil) == "Alert ended.")
        let ana = try Examples.contact("Ana", responder: true, dependent: false)
        #expect(AlertText.ended(try snapshot([ana])).contains("Ana is being told"))
        #expect(AlertText.ended(try snapshot([])).contains("no responders"))
    }

    @Test(arguments: [
        (ExitStatus.failed, false, "No one knows"), (.notSignedIn, false, "No one knows"),
        (.refused, true, "No one knows"), (.unreachable, true, "We don't know whether anyone"),
        (.failed, true, "We don't know whether anyone"),
    ])
    func failedAlertSaysWhoKnows(status: ExitStatus, wasTried: Bool, remark: String) {
        let failure = AlertText.unraised(
            CommandFailure(status, "some", title: "A title", "A reason."), wasTried: wasTried)
        #expect(failure.status == status && failure.error.title == "A title")
        #expect(failure.error.message.hasPrefix("A reason. \(remark)"))
        #expect(failure.error.message.lowercased().hasSuffix("phone someone now."))
    }

    @Test func unsentAlertIsMentionedOnce() {
        let ended = CommandFailure(
            .notSignedIn, "unauthenticated", title: "Your alert was NOT sent",
            "You were signed out. We don't know whether anyone was told.")
        #expect(AlertText.unraised(ended, wasTried: true) == ended)
    }

    @Test func endedSessionNamesTheAlertThatWasOn() throws {
        let (ben, cleo) = (UserID(UUID()), UserID(UUID()))
        var snapshot = try snapshot([
            try Examples.contact("Ben", id: ben, responder: true, dependent: false),
            try Examples.contact("Cleo", id: cleo),
        ])
        #expect(AlertText.openAtSignOut(snapshot, Examples.words).isEmpty)
        var alert = Examples.alert(of: Examples.me)
        snapshot.alerts = [alert, Examples.alert(of: cleo)]
        let time = Examples.words.past(Examples.now)
        let calls = [
            "Call Ben: +15550100.", "Emergency number where your phone is registered: 911.",
            "In another country, call the number used there.",
        ]
        #expect(
            AlertText.openAtSignOut(snapshot, Examples.words)
                == ["Your alert was still on as of \(time).", "No responder was on it."] + calls)
        alert.acknowledgement = .init(
            responderId: "\(ben)", name: "Ben", time: Examples.now, afterSeconds: 5)
        snapshot.alerts = [alert]
        #expect(
            AlertText.openAtSignOut(snapshot, Examples.words)
                == ["Your alert was still on as of \(time).", "Ben was on it."] + calls)
    }

    @Test func endedSessionNamesTheJourney() throws {
        var snapshot = try Examples.snapshot()
        #expect(AlertText.openAtSignOut(snapshot, Examples.words).isEmpty)
        snapshot.profile?.journey = JourneyRecord(
            id: JourneyID(UUID()), name: "Zugspitze", startTime: Examples.now,
            expectedReturn: Examples.now.addingTimeInterval(3600))
        let said = AlertText.openAtSignOut(snapshot, Examples.words)
        #expect(said.count == 1 && said.first?.hasPrefix("Your journey continues") == true)
    }

    @Test func endedSessionNamesNoUnsentAlert() throws {
        var snapshot = try Examples.snapshot()
        let alert = Examples.alert(of: Examples.me)
        snapshot.alerts = [alert]
        snapshot.connectivity.waiting = [
            WaitingAction(id: UUID(), kind: .raiseAlert, createdAt: alert.startTime)
        ]
        #expect(AlertText.openAtSignOut(snapshot, Examples.words).isEmpty)
        snapshot.connectivity.waiting = []
        snapshot.alerts = [Examples.alert(of: Examples.me, isActive: false)]
        #expect(AlertText.openAtSignOut(snapshot, Examples.words).isEmpty)
    }

    @Test func sentencesAreAddedToTheMessage() {
        let failure = CommandFailure(.notSignedIn, "some", title: "A title", "A reason.")
        #expect(failure.adding([]) == failure)
        #expect(failure.adding(["One.", "Two."]).error.message == "A reason. One. Two.")
    }

    /// The sign-in lock can hold a sign-in back for days.
    @Test(arguments: ["", "Try again from 12:00 UTC."])
    func refusedSignInNamesTheUnsentAlert(suggestion: String) {
        let refusal = CommandFailure(
            .refused, "signInWaits", title: "You can't sign in yet", "The lock is on.", suggestion)
        let failure = ConnectivityText.refused(refusal, unsent: Date())
        let lines = failure.error.recoverySuggestion.split(separator: "\n").map(String.init)
        #expect(failure.error.title == refusal.error.title && failure.status == .refused)
        #expect(lines.count == (suggestion.isEmpty ? 2 : 3))
        #expect(suggestion.isEmpty || lines.first == suggestion)
        #expect(lines.dropLast().last?.contains("was NOT sent") == true)
        #expect(lines.last?.hasPrefix("Phone someone now") == true)
        let ended = CommandFailure(
            .notSignedIn, "unauthenticated", title: "Your alert was NOT sent",
            "You were signed out.")
        #expect(ConnectivityText.refused(ended, unsent: Date()) == ended)
    }

    @Test func firstAcknowledgementWins() throws {
        let snapshot = try snapshot([])
        #expect(
            AlertText.acknowledged(acknowledged(by: Examples.me, "Ben"), in: snapshot)
                == "You are on it. The others are being told.")
        #expect(
            AlertText.acknowledged(acknowledged(by: UserID(UUID()), "Cleo"), in: snapshot)
                == "Cleo is already on it, so no one is told that you are, too.")
        let ended = Examples.alert(of: UserID(UUID()), isActive: false)
        #expect(AlertText.acknowledged(ended, in: snapshot).contains("has ended"))
    }

    @Test(
        arguments: [
            (true, [], "Cleo is on it, after 5 seconds."),
            (false, [], "Cleo took it on after 5 seconds."),
            (false, [.acknowledged], "Cleo took it on after 5 seconds."),
            (false, [.acknowledged, .withdrew], "Cleo took it on after 5 seconds and withdrew."),
        ] as [(Bool, [AlertAction.Kind], String)])
    func endedAlertIsNoLongerTakenOn(
        isActive: Bool, history: [AlertAction.Kind], words: String
    ) throws {
        let cleo = UserID(UUID())
        var alert = acknowledged(by: cleo, "Cleo")
        alert.isActive = isActive
        alert.history = history.map {
            AlertAction(kind: $0, responderId: "\(cleo)", name: "Cleo", time: Examples.now)
        }
        let line = AlertText.line(alert, in: try snapshot([]), Examples.words)
        #expect(line.contains("; \(words)"))
    }

    /// Lists come without a history.
    @Test func listSaysWhoWithdrew() throws {
        var alert = acknowledged(by: UserID(UUID()), "Cleo")
        alert.isActive = false
        alert.acknowledgement?.end = .withdrew
        let snapshot = try snapshot([])
        let line = AlertText.line(alert, in: snapshot, Examples.words)
        #expect(line.contains("; Cleo took it on after 5 seconds and withdrew."))
        #expect(AlertView(alert, in: snapshot).acknowledgementEnd == .withdrew)
    }

    @Test func endedRoleIsNoWithdrawal() throws {
        let cleo = UserID(UUID())
        var alert = acknowledged(by: cleo, "Cleo")
        alert.isActive = false
        alert.history = [
            AlertAction(
                kind: .withdrew, responderId: "\(cleo)", name: "Cleo", time: Examples.now,
                isLossOfRole: true)
        ]
        let line = AlertText.line(alert, in: try snapshot([]), Examples.words)
        #expect(
            line.contains(
                "; Cleo took it on after 5 seconds and then stopped being a responder."))
    }

    @Test func signInAsksForAMissingName() throws {
        var profile = try Examples.profile()
        #expect(SignIn.line(profile) == "Signed in as Ben.")
        profile.name = ""
        #expect(SignIn.line(profile).contains("profile edit --name"))
        #expect(!SignIn.line(nil).contains("--name"))
    }

    @Test func interruptionListsTheQueue() {
        let alert = WaitingAction(id: UUID(), kind: .raiseAlert, createdAt: Examples.now)
        let kept = Interruption.lines(.init(waiting: [alert]), Examples.words)
            .joined(separator: "\n")
        #expect(kept.contains("Waiting to be sent: your") && kept.contains("next command"))
        let held = Interruption.lines(
            .init(waiting: [alert], isHeldBack: true), Examples.words
        ).joined(separator: "\n")
        #expect(held.contains("Waiting to be sent: your") && !held.contains("next command"))
        let nothing = Interruption.lines(.init(), Examples.words).joined(separator: "\n")
        #expect(nothing.contains("may have arrived") && !nothing.contains("Waiting"))
    }

    @Test func interruptedQuestionChangesNothing() {
        #expect(
            Interruption.lines(.init(), isAsking: true, Examples.words)
                == ["", "Interrupted.", "Nothing was changed."])
        let alert = UnsentAlert(raisedAt: Examples.now, sendsAt: Examples.now)
        let unsent = Interruption.lines(
            .init(unsent: ConnectivityText.unsent(alert)), isAsking: true, Examples.words
        ).joined(separator: "\n")
        #expect(unsent.contains("was NOT sent") && unsent.contains("lifesignal alert stop"))
        #expect(!unsent.contains("Nothing"))
    }

    @Test func smallPageKeepsTheAgeOfItsData() throws {
        var snapshot = try snapshot(
            (1...30).map { try Examples.contact("Contact \($0)") })
        snapshot.connectivity = Connectivity(
            isOnline: false, lastSynced: Examples.now.addingTimeInterval(-180),
            waiting: [WaitingAction(id: UUID(), kind: .raiseAlert, createdAt: Examples.now)])
        let lines = StatusText(snapshot: snapshot, words: Examples.words).page()
        let page = WatchPage.page(lines, (columns: 80, rows: 10))
        #expect(page.contains("more lines") && !page.contains("Contact 30"))
        #expect(page.contains("Offline: as of 08:59, 3 minutes ago."))
        #expect(page.contains("Waiting to be sent"))
    }

    @Test(arguments: [(40, 24), (80, 10), (40, 10)])
    func narrowPageKeepsTheEndOfAnAlert(columns: Int, rows: Int) throws {
        var snapshot = try snapshot((1...30).map { try Examples.contact("Contact \($0)") })
        var alert = Examples.alert(of: Examples.me)
        alert.isRefusedByAll = true
        snapshot.alerts = [alert]
        let lines = StatusText(snapshot: snapshot, words: Examples.words).page()
        let page = WatchPage.page(lines, (columns: columns, rows: rows))
        let text = page.replacing("\u{1B}[K\r\n", with: " ").split(separator: " ")
            .joined(separator: " ")
        #expect(text.contains("call for help directly. \(alert.id)"))
    }

    @Test(arguments: [true, nil] as [Bool?])
    func failedMessagesAreSaid(isUnheard: Bool?) throws {
        let ana = try Examples.contact("Ana", responder: true, dependent: false)
        let snapshot = try snapshot([ana])
        var alert = Examples.alert(of: Examples.me)
        alert.isUnheard = isUnheard
        let line = AlertText.line(alert, in: snapshot, Examples.words)
        let words = "no one is on it yet; no message reaches your responders: call for help"
        #expect(line.contains(words) == (isUnheard == true))
    }

    @Test func alertsPrecedeRefusalsAndQueue() throws {
        let ana = try Examples.contact("Ana")
        var snapshot = try snapshot([ana])
        snapshot.alerts = [Examples.alert(of: ana.id)]
        snapshot.connectivity.waiting = [WaitingAction.Kind.ping, .raiseAlert].map {
            WaitingAction(id: UUID(), kind: $0, createdAt: Examples.now)
        }
        let notices = (1...3).flatMap { ["Refused: Title \($0).", "  Message."] }
        let lines = StatusText(snapshot: snapshot, words: Examples.words).page(notices)
        #expect(lines[1].hasPrefix("Waiting to be sent: your call for help"))
        #expect(lines[2] == "" && lines[3].hasPrefix("ALERT  Ana needs help"))
        #expect(Array(lines[4...9]) == notices)
        #expect(lines[10].hasPrefix("Waiting to be sent: your ping"))
        let page = WatchPage.page(["LifeSignal"] + lines, (columns: 200, rows: 10))
        #expect(page.contains("Ana needs help") && page.contains("more lines"))
        snapshot.alerts = []
        let quiet = StatusText(snapshot: snapshot, words: Examples.words).page(notices)
        #expect(Array(quiet[3...8]) == notices)
    }

    @Test func ageOfTheCopyIsShownIfKnown() {
        #expect(
            age(Examples.now.addingTimeInterval(-180))
                == "LifeSignal can't be reached: as of 08:59, 3 minutes ago.")
        #expect(age(nil) == "LifeSignal can't be reached.")
        #expect(
            age(Examples.now.addingTimeInterval(-180), isRateLimited: true)
                == "LifeSignal asks you to wait: as of 08:59, 3 minutes ago.")
    }

    private func age(_ date: Date?, isRateLimited: Bool = false) -> String {
        Output.age(of: date, isRateLimited: isRateLimited, Examples.words)
    }

    /// `alert stop` ends a call for help only.
    @Test func ownCallForHelpIsFoundAmongAlerts() throws {
        let (theirs, mine) = (
            Examples.alert(of: UserID(UUID())), Examples.alert(of: Examples.me)
        )
        let missed = Examples.alert(of: Examples.me, kind: .missedCheckIn)
        let ended = Examples.alert(of: Examples.me, isActive: false)
        var snapshot = try snapshot([])
        snapshot.alerts = [ended, theirs, missed, mine]
        #expect(snapshot.openAlerts.map(\.id) == [missed.id, mine.id, theirs.id])
        #expect(snapshot.ownAlert?.id == mine.id)
        snapshot.alerts = [ended, theirs, missed]
        #expect(snapshot.ownAlert == nil)
    }

    @Test func unsentAlertNamesRespondersFirst() throws {
        let dora = try Examples.contact("Dora")
        var eve = try Examples.contact("Eve", responder: true)
        eve.phoneNumber = nil
        let ana = try Examples.contact("Ana", responder: true, dependent: false)
        let lines = AlertText.unsent(try snapshot([dora, eve, ana]), isRateLimited: false)
        #expect(lines[2...3] == ["  Ana  +15550100", "  Dora  +15550100"])
        #expect(lines.count == 5 && lines[4].hasPrefix("Or text them: I need help."))
        #expect(AlertText.unsent(try snapshot([eve]), isRateLimited: false).count == 2)
    }

    @Test func unsentAlertSaysWhyItWaits() throws {
        let ana = try Examples.contact("Ana")
        for isRateLimited in [true, false] {
            let text = AlertText.unsent(try snapshot([ana]), isRateLimited: isRateLimited)
                .joined(separator: "\n")
            #expect(text.hasPrefix("NOT SENT: your call for help waits until LifeSignal"))
            #expect(text.contains("asks you to wait") == isRateLimited)
            #expect(text.contains("can't be reached, so I'm texting you") == !isRateLimited)
            #expect(text.contains("Phone someone now"))
        }
    }
}
