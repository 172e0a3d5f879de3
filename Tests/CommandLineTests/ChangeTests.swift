import Clients
import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct ChangeTests {
    private func events(_ old: Snapshot, _ new: Snapshot) -> [Change.Event] {
        Change.between(old, new, at: Examples.now).map(\.event)
    }

    @Test func equalSnapshotsHaveNoChanges() throws {
        let snapshot = try Examples.snapshot()
        #expect(events(snapshot, snapshot).isEmpty)
    }

    private func shown(isOnline: Bool) -> Snapshot {
        Snapshot(connectivity: Connectivity(isOnline: isOnline))
    }

    /// The watch steps aside for each command of its home.
    @Test(
        arguments: [
            (true, .zero, true), (true, .milliseconds(4_999), true),
            (true, .seconds(5), false), (false, .zero, false), (nil, .zero, false),
        ] as [(Bool?, Duration, Bool)])
    func watchStaysOnlineForAShortReconnection(
        wasOnline: Bool?, passed: Duration, isShown: Bool
    ) {
        let start = ContinuousClock.now
        let grace = ConnectionGrace(after: wasOnline.map(shown), at: start)
        let offline = Connectivity(isOnline: false, lastSynced: Examples.now)
        let visible = grace.visible(offline, at: start + passed)
        #expect(visible == Connectivity(isOnline: isShown, lastSynced: Examples.now))
        let online = Connectivity(isOnline: true)
        #expect(grace.visible(online, at: start + passed) == online)
    }

    @Test(
        arguments: [
            (nil, false, .zero, true), (nil, false, .milliseconds(4_999), true),
            (nil, false, .seconds(5), false), (nil, true, .zero, false),
            (false, false, .zero, false), (true, false, .zero, false),
        ] as [(Bool?, Bool, Duration, Bool)])
    func watchBeginsByConnecting(
        wasOnline: Bool?, isOnline: Bool, passed: Duration, isConnecting: Bool
    ) {
        let start = ContinuousClock.now
        let grace = ConnectionGrace(after: wasOnline.map(shown), at: start)
        let connectivity = Connectivity(isOnline: isOnline)
        #expect(grace.isConnecting(connectivity, at: start + passed) == isConnecting)
    }

    @Test func watchThatSteppedAsideWhileConnectingStillConnects() {
        var before = shown(isOnline: false)
        before.isConnecting = true
        let grace = ConnectionGrace(after: before, at: .now)
        #expect(grace.isConnecting(Connectivity(isOnline: false), at: .now))
    }

    @Test(arguments: [(true, Change.Event.online), (false, .offline)])
    func firstAnswerOrFailureIsReported(isOnline: Bool, event: Change.Event) throws {
        var connecting = try Examples.snapshot()
        connecting.connectivity.isOnline = false
        connecting.isConnecting = true
        let line = ConnectivityText.line(of: connecting, Examples.words)
        #expect(line.hasPrefix("Connecting: as of"))
        var answered = connecting
        answered.connectivity.isOnline = isOnline
        answered.isConnecting = false
        let changes = Change.between(connecting, answered, at: Examples.now)
        #expect(changes.map(\.event) == [event])
    }

    @Test func alertIsReportedFromStartToEnd() throws {
        let ana = try Examples.contact("Ana")
        var quiet = try Examples.snapshot()
        quiet.contacts = [ana]
        var (open, taken, over) = (quiet, quiet, quiet)
        open.alerts = [Examples.alert(of: ana.id)]
        taken.alerts = open.alerts
        taken.alerts[0].acknowledgement = .init(
            responderId: "x", name: "Cem", time: Examples.now, afterSeconds: 3)
        over.alerts = taken.alerts
        over.alerts[0].isActive = false
        #expect(
            Change.between(quiet, open, at: Examples.now).map(\.text) == ["ALERT: Ana needs help."])
        #expect(
            Change.between(open, taken, at: Examples.now).map(\.text) == [
                "Cem is on Ana's alert."
            ])
        #expect(
            Change.between(taken, over, at: Examples.now).map(\.text) == [
                "Ana's alert has ended."
            ])
        #expect(events(quiet, over).isEmpty, "what was over before anybody looked")
    }

    @Test func ownAlertShowsReportRefusalAndEnd() throws {
        var open = try Examples.snapshot()
        open.alerts = [Examples.alert(of: Examples.me)]
        var (reported, refused, over) = (open, open, open)
        reported.alerts[0].report = AlertAction(
            kind: .foundSafe, responderId: "x", name: "Cem", time: Examples.now)
        refused.alerts[0].isRefusedByAll = true
        over.alerts[0].isActive = false
        over.alerts[0].ending = .init(sessionId: "s", deviceName: "Tablet")
        #expect(
            Change.between(open, reported, at: Examples.now).map(\.text) == [
                "Cem reports that you are safe. No one is alerted again for 12 hours."
            ])
        #expect(events(reported, open) == [.alertResumed])
        #expect(events(open, refused) == [.alertRefused])
        #expect(
            Change.between(open, over, at: Examples.now).map(\.text) == [
                "Your alert has ended. It was ended on “Tablet”."
            ])
    }

    @Test(
        arguments: [
            (Examples.me, "Cem", "What you reported no longer counts, and Cem is on Ana's alert."),
            (
                UserID(UUID()), "Cem",
                "What Ben reported no longer counts, and Cem is on Ana's alert."
            ),
            (UserID(UUID()), nil, "Everyone is alerted again to Ana's alert."),
        ] as [(UserID, String?, String)])
    func endOfAReportNamesTheHelper(reporter: UserID, helper: String?, text: String) throws {
        let ana = try Examples.contact("Ana")
        var reported = try Examples.snapshot()
        reported.contacts = [ana]
        reported.alerts = [Examples.alert(of: ana.id)]
        reported.alerts[0].acknowledgement = helper.map {
            .init(responderId: "x", name: $0, time: Examples.now, afterSeconds: 3)
        }
        var ended = reported
        reported.alerts[0].report = AlertAction(
            kind: .foundSafe, responderId: "\(reporter)", name: "Ben", time: Examples.now)
        let changes = Change.between(reported, ended, at: Examples.now)
        #expect(changes.map(\.text) == [text])
        #expect(changes.map(\.event) == [helper == nil ? .alertResumed : .alertReportEnded])
        ended.alerts[0].acknowledgement = .init(
            responderId: "\(Examples.me)", name: "Me", time: Examples.now, afterSeconds: 3)
        #expect(
            Change.between(reported, ended, at: Examples.now).last?.text.hasSuffix(
                "you are on Ana's alert.") == true)
    }

    /// An alert of Ana with Cem on it, as a responder sees it.
    private func takenOn() throws -> Snapshot {
        let ana = try Examples.contact("Ana")
        var snapshot = try Examples.snapshot()
        snapshot.contacts = [ana]
        snapshot.alerts = [Examples.alert(of: ana.id)]
        snapshot.alerts[0].acknowledgement = .init(
            responderId: "x", name: "Cem", time: Examples.now, afterSeconds: 3)
        return snapshot
    }

    private func changes(_ old: Snapshot, _ new: Snapshot) -> [Change] {
        Change.between(old, new, at: Examples.now)
    }

    @Test func withdrawalOfHelpIsReported() throws {
        var taken = try takenOn()
        var withdrawn = taken
        withdrawn.alerts[0].acknowledgement = nil
        let left = changes(taken, withdrawn)
        #expect(left.map(\.event) == [.alertResumed])
        #expect(
            left.map(\.text) == ["Cem is no longer on Ana's alert. Everyone is alerted again."])
        taken.alerts[0].acknowledgement?.responderId = "\(Examples.me)"
        #expect(
            changes(taken, withdrawn).map(\.text) == [
                "You are no longer on Ana's alert. Everyone is alerted again."
            ])
        let untaken = withdrawn
        withdrawn.alerts[0].isActive = false
        #expect(changes(taken, withdrawn).map(\.event) == [.alertEnded])
        // The record of an ended alert names the first who took it on.
        withdrawn.alerts[0].acknowledgement = taken.alerts[0].acknowledgement
        withdrawn.alerts[0].acknowledgement?.end = .withdrew
        #expect(changes(untaken, withdrawn).map(\.event) == [.alertEnded])
    }

    @Test func withdrawalNamesTheRemainingReport() throws {
        var taken = try takenOn()
        taken.alerts[0].report = AlertAction(
            kind: .foundSafe, responderId: "y", name: "Dora", time: Examples.now)
        var withdrawn = taken
        withdrawn.alerts[0].acknowledgement = nil
        let remains = changes(taken, withdrawn)
        #expect(remains.map(\.event) == [.alertResumed])
        #expect(
            remains.map(\.text) == [
                """
                Cem is no longer on Ana's alert. No one is alerted again while this report counts: \
                Dora reports that Ana is safe.
                """
            ])
        withdrawn.alerts[0].report = nil
        #expect(
            changes(taken, withdrawn).map(\.text) == [
                "Cem is no longer on Ana's alert. Everyone is alerted again."
            ], "one line for both")
    }

    /// The server hides reports from a responder who has only been asked.
    @Test func withdrawalPromisesNothingToAnAskedResponder() throws {
        var taken = try takenOn()
        taken.contacts[0].isDependent = false
        taken.contacts[0].watch = nil
        taken.contacts[0].requests = [
            .init(role: .dependent, isMine: false, requestedAt: Examples.now)
        ]
        var withdrawn = taken
        withdrawn.alerts[0].acknowledgement = nil
        #expect(
            changes(taken, withdrawn).map(\.text) == ["Cem is no longer on Ana's alert."])
    }

    @Test func anotherHelperIsReported() throws {
        let taken = try takenOn()
        var (confirmed, passed) = (taken, taken)
        confirmed.alerts[0].acknowledgement?.time = Examples.now.addingTimeInterval(60)
        #expect(events(taken, confirmed).isEmpty)
        passed.alerts[0].acknowledgement = .init(
            responderId: "y", name: "Dora", time: Examples.now, afterSeconds: 9)
        #expect(events(taken, passed) == [.alertAcknowledged])
        #expect(changes(taken, passed).map(\.text) == ["Dora is on Ana's alert."])
    }

    /// The server hides reports from a responder who has only been asked.
    @Test func reportHiddenFromTheReaderHasNotEnded() throws {
        let ana = try Examples.contact("Ana")
        var accepted = try Examples.snapshot()
        accepted.contacts = [ana]
        accepted.alerts = [Examples.alert(of: ana.id)]
        accepted.alerts[0].report = AlertAction(
            kind: .foundSafe, responderId: "x", name: "Ben", time: Examples.now)
        var asked = accepted
        asked.alerts[0].report = nil
        #expect(events(accepted, asked) == [.alertResumed])
        var contact = ana
        (contact.isDependent, contact.watch) = (false, nil)
        contact.requests = [.init(role: .dependent, isMine: false, requestedAt: Examples.now)]
        asked.contacts = [contact]
        #expect(!events(accepted, asked).contains(.alertResumed))
    }

    @Test func refusalOfAnothersAlertIsNoChange() throws {
        let ana = try Examples.contact("Ana")
        var open = try Examples.snapshot()
        open.contacts = [ana]
        open.alerts = [Examples.alert(of: ana.id)]
        var refused = open
        refused.alerts[0].isRefusedByAll = true
        #expect(events(open, refused).isEmpty)
    }

    @Test func alertReturningWithAnotherIDIsNoChange() throws {
        var (queued, sent) = (try Examples.snapshot(), try Examples.snapshot())
        queued.alerts = [Examples.alert(of: Examples.me)]
        sent.alerts = [Examples.alert(of: Examples.me)]
        #expect(events(queued, sent).isEmpty)
    }

    /// One reload may bring the end of an alert and the next alert of the same person.
    @Test(arguments: [true, false])
    func nextAlertIsReportedWithTheEndOfTheLast(isOwn: Bool) throws {
        let ana = try Examples.contact("Ana")
        var old = try Examples.snapshot()
        old.contacts = [ana]
        var new = old
        let person = isOwn ? Examples.me : ana.id
        old.alerts = [Examples.alert(of: person, id: "first")]
        new.alerts = [
            Examples.alert(of: person, id: "second"),
            Examples.alert(of: person, id: "first", isActive: false),
        ]
        #expect(events(old, new) == [.alertStarted, .alertEnded])
        #expect(changes(old, new).map(\.alertID) == ["second", "first"])
    }

    @Test func alertOfAnotherPersonHasOneID() throws {
        let ana = try Examples.contact("Ana")
        var old = try Examples.snapshot()
        old.contacts = [ana]
        var new = old
        old.alerts = [Examples.alert(of: ana.id)]
        new.alerts = [Examples.alert(of: ana.id)]
        #expect(events(old, new) == [.alertStarted])
    }

    @Test func nextPingIsReportedWithTheEndOfTheLast() throws {
        let ana = try Examples.contact("Ana")
        var old = try Examples.snapshot()
        old.contacts = [ana]
        var new = old
        let first = Examples.ping(from: ana.id, to: Examples.me)
        let second = Examples.ping(from: ana.id, to: Examples.me)
        old.pings = [first]
        new.pings = [
            second, Examples.ping(from: ana.id, to: Examples.me, id: first.id, state: .cleared),
        ]
        #expect(events(old, new) == [.pingReceived, .pingCleared])
    }

    @Test func pingReturningWithAnotherIDIsNoChange() throws {
        let ana = try Examples.contact("Ana")
        var queued = try Examples.snapshot()
        queued.contacts = [ana]
        var sent = queued
        queued.pings = [Examples.ping(from: Examples.me, to: ana.id)]
        sent.pings = [Examples.ping(from: Examples.me, to: ana.id)]
        #expect(events(queued, sent).isEmpty)
    }

    @Test func pingIsReportedOnBothSides() throws {
        let ana = try Examples.contact("Ana")
        var (quiet, asked, answered) = (
            try Examples.snapshot(), try Examples.snapshot(), try Examples.snapshot()
        )
        for (responder, dependent, texts) in [
            (
                Examples.me, ana.id,
                ["You asked Ana whether they are fine.", "Ana answered your ping."]
            ),
            (
                ana.id, Examples.me,
                ["PING: Ana asks whether you are fine.", "You told Ana that you are fine."]
            ),
        ] {
            let id = PingID(UUID())
            quiet.contacts = [ana]
            (asked.contacts, answered.contacts) = ([ana], [ana])
            asked.pings = [Examples.ping(from: responder, to: dependent, id: id)]
            answered.pings = [
                Examples.ping(from: responder, to: dependent, id: id, state: .answered)
            ]
            #expect(Change.between(quiet, asked, at: Examples.now).map(\.text) == [texts[0]])
            #expect(Change.between(asked, answered, at: Examples.now).map(\.text) == [texts[1]])
        }
    }

    @Test(
        arguments: [
            (.cleared, "was taken back."), (.expired, "was not answered within a day."),
        ] as [(PingRecord.State, String)])
    func endOfAPingNamesItsDirection(state: PingRecord.State, words: String) throws {
        let ana = try Examples.contact("Ana")
        for (responder, dependent, direction) in [
            (Examples.me, ana.id, "to"), (ana.id, Examples.me, "from"),
        ] {
            let id = PingID(UUID())
            var quiet = try Examples.snapshot()
            quiet.contacts = [ana]
            var (asked, ended) = (quiet, quiet)
            asked.pings = [Examples.ping(from: responder, to: dependent, id: id)]
            ended.pings = [Examples.ping(from: responder, to: dependent, id: id, state: state)]
            #expect(changes(asked, ended).map(\.text) == ["The ping \(direction) Ana \(words)"])
            #expect(changes(quiet, ended).isEmpty)
        }
    }

    @Test func contactChangesAreReported() throws {
        let ana = try Examples.contact("Ana")
        var (none, there, changed, later) = (
            try Examples.snapshot(), try Examples.snapshot(), try Examples.snapshot(),
            try Examples.snapshot()
        )
        none.contacts = []
        there.contacts = [ana]
        changed.contacts = [try Examples.contact("Ana", id: ana.id, responder: true)]
        later.contacts = changed.contacts
        later.contacts[0].watch?.lastCheckInTime = Examples.now
        #expect(
            Change.between(none, there, at: Examples.now).map(\.text) == [
                "Ana is now your contact: you watch over them."
            ])
        #expect(
            Change.between(there, changed, at: Examples.now).map(\.text) == [
                "Ana has new roles: you help each other."
            ])
        #expect(Change.between(changed, later, at: Examples.now).map(\.text) == ["Ana checked in."])
        #expect(events(later, none) == [.contactRemoved])
    }

    /// A new dependent has checked in before, so their last check-in isn't reported.
    @Test func onlyTheCheckInOfAKnownDependentIsReported() throws {
        let ana = try Examples.contact("Ana")
        var (asked, silent) = (ana, ana)
        (asked.isDependent, asked.watch) = (false, nil)
        asked.requests = [.init(role: .dependent, isMine: false, requestedAt: Examples.now)]
        silent.watch?.lastCheckInTime = nil
        var (old, new) = (try Examples.snapshot(), try Examples.snapshot())
        (old.contacts, new.contacts) = ([asked], [ana])
        #expect(events(old, new) == [.rolesChanged])
        old.contacts = [silent]
        #expect(events(old, new) == [.checkIn])
    }

    @Test func connectionAndQueueChangesAreReported() throws {
        var (online, offline) = (try Examples.snapshot(), try Examples.snapshot())
        online.connectivity.waiting = []
        offline.connectivity = Connectivity(
            isOnline: false, lastSynced: nil,
            waiting: [.init(id: UUID(), kind: .raiseAlert, createdAt: Examples.now)])
        #expect(events(online, offline) == [.offline, .waiting])
        #expect(events(offline, online) == [.online, .sent])
    }

    @Test func refusedActionIsNotReportedAsSent() throws {
        let action = WaitingAction(id: UUID(), kind: .ping, createdAt: Examples.now)
        var (before, after) = (try Examples.snapshot(), try Examples.snapshot())
        before.connectivity.waiting = [action]
        after.connectivity.refused = [action.id]
        #expect(events(before, after) == [])
        let circumstances = Circumstances(
            isOnline: true, connectivity: after.connectivity, before: [action])
        #expect(circumstances.sent.isEmpty)
    }

    private let arrival = WaitingAction(id: UUID(), kind: .endJourney, createdAt: Examples.now)

    @Test func discardedActionIsNotReportedAsSent() throws {
        var (before, after) = (try Examples.snapshot(), try Examples.snapshot())
        before.connectivity.waiting = [arrival]
        after.connectivity.discarded = [arrival.id]
        #expect(events(before, after) == [.takenBack])
        let circumstances = Circumstances(
            isOnline: false, connectivity: after.connectivity, before: [arrival])
        #expect(circumstances.sent.isEmpty && circumstances.takenBack.count == 1)
        #expect(
            Output.head(of: circumstances, Examples.words)
                == ["Taken back: your arrival of 09:02."])
    }

    /// Another process extended the journey while the watch stepped aside.
    @Test func laterReturnTakesAnArrivalBackDuringAWatch() throws {
        let journey = JourneyRecord(
            id: JourneyID(UUID()), name: "Zugspitze", startTime: Examples.now,
            expectedReturn: Examples.now)
        var before = try Examples.snapshot()
        before.profile?.journey = journey
        before.connectivity.waiting = [arrival]
        var queued = before
        queued.connectivity.waiting = [
            WaitingAction(id: UUID(), kind: .extendJourney, createdAt: Examples.now)
        ]
        #expect(events(before, queued) == [.waiting, .takenBack])
        var sent = before
        sent.connectivity.waiting = []
        #expect(events(before, sent) == [.sent])
        sent.profile?.journey?.expectedReturn += 60
        #expect(events(before, sent) == [.takenBack])
    }

    @Test func pageKeepsTheNewestRefusals() {
        let refusals = (1...4).map { number in
            RefusedAction(
                action: WaitingAction(id: UUID(), kind: .ping, createdAt: Examples.now),
                error: UserFacingError(
                    title: "Title \(number)", message: "Message\u{1B} \(number).",
                    recoverySuggestion: "", code: "rate-limited"))
        }
        #expect(WatchPage.notices([]).isEmpty && WatchPage.lastLines([]).isEmpty)
        #expect(
            WatchPage.notices(refusals) == [
                "Refused: Title 2.", "  Message\u{FFFD} 2.", "Refused: Title 3.",
                "  Message\u{FFFD} 3.", "Refused: Title 4.", "  Message\u{FFFD} 4.",
            ])
        #expect(
            WatchPage.lastLines(refusals)
                == (1...4).map { "Refused: Title \($0). Message\u{FFFD} \($0)." })
    }

    @Test func pageFitsItsTerminal() {
        let page = WatchPage.page(
            (1...50).map { "line \($0) " + String(repeating: "x", count: 100) },
            (columns: 20, rows: 10))
        let lines = page.components(separatedBy: "\r\n")
        // Each line takes seven rows: its first word and number, then 17 characters a row.
        #expect(lines.count == 10 && lines[8].contains("342 more lines"))
        #expect(lines[0].hasPrefix("\u{1B}[Hline 1\u{1B}[K"))
        #expect(lines[1] == "  \(String(repeating: "x", count: 17))\u{1B}[K")
    }

    @Test(
        arguments: [
            ("", 10, [""]), ("one two", 7, ["one two"]), ("one two", 6, ["one", " two"]),
            ("  Ana  helps you", 12, ["  Ana  helps", "   you"]),
            ("安娜需要帮助", 12, ["安娜需要帮助"]), ("安娜需要帮助", 11, ["安娜需要帮", "  助"]),
            ("e\u{301}e\u{301}e", 3, ["e\u{301}e\u{301}e"]),
            ("abcdef", 1, ["a", "b", "c", "d", "e", "f"]),
        ] as [(String, Int, [String])])
    func rowsLoseNothing(line: String, columns: Int, rows: [String]) {
        #expect(TerminalRows.wrap(line, to: columns) == rows)
    }

    @Test(
        arguments: [
            ("Ana", 3), ("安娜", 4), ("e\u{301}", 1), ("\u{1F600}", 2), ("\u{2764}\u{FE0F}", 2),
        ])
    func paddingCountsColumns(text: String, columns: Int) {
        #expect(TerminalRows.cells(text) == columns)
        #expect(text.padded(to: 6) == text + String(repeating: " ", count: 6 - columns))
        #expect(text.padded(to: 0) == text)
    }

    @Test func contactsLineUpByColumns() throws {
        var snapshot = try Examples.snapshot()
        snapshot.contacts = try ["安娜", "Ana", "e\u{301}"].map { try Examples.contact($0) }
        let starts = ContactText.table(snapshot, Examples.words).map { row in
            row.range(of: "you watch").map { TerminalRows.cells(String(row[..<$0.lowerBound])) }
        }
        #expect(starts == [6, 6, 6])
    }

    private func asking(_ notification: NotificationID?) throws -> Snapshot {
        var snapshot = try Examples.snapshot()
        snapshot.drills = [
            DrillQuestion(
                id: DrillID(UUID()), ownerID: UserID(UUID()), name: "Ana", startedAt: Examples.now,
                endsAt: Examples.now.addingTimeInterval(600), notificationID: notification)
        ]
        return snapshot
    }

    @Test func drillRingsUnlessItIsMuted() throws {
        let quiet = try Examples.snapshot()
        let asking = try asking(NotificationID(UUID()))
        #expect(events(quiet, asking) == [.drillAsked] && events(asking, quiet) == [.drillEnded])
        #expect(WatchPage.rings(from: quiet, to: asking, at: Examples.now))
        #expect(!WatchPage.rings(from: asking, to: asking, at: Examples.now))
        #expect(!WatchPage.rings(from: asking, to: quiet, at: Examples.now))
        let status = StatusText(snapshot: asking, words: Examples.words).lines
        #expect(
            status.contains(
                "DRILL  This is a drill by Ana. Answer: lifesignal drill answer"))
        var alerted = asking
        var ana = try Examples.contact("Ana")
        ana.watch?.status = .alertActive
        alerted.contacts = [ana]
        alerted.drills[0].ownerID = ana.id
        #expect(alerted.drillsToAnswer.isEmpty && asking.drillsToAnswer == asking.drills)
        let muted = try self.asking(nil)
        #expect(events(quiet, muted).isEmpty && events(muted, quiet).isEmpty)
    }

    @Test func bellRingsForWhatNeedsTheUser() throws {
        let ana = try Examples.contact("Ana")
        var quiet = try Examples.snapshot()
        quiet.contacts = [ana]
        var (open, over, pinged) = (quiet, quiet, quiet)
        open.alerts = [Examples.alert(of: ana.id)]
        over.alerts = [Examples.alert(of: ana.id, isActive: false)]
        pinged.pings = [Examples.ping(from: ana.id, to: Examples.me)]
        func rings(_ old: Snapshot?, _ new: Snapshot) -> Bool {
            WatchPage.rings(from: old, to: new, at: Examples.now)
        }
        #expect(rings(quiet, open) && rings(nil, open) && rings(quiet, pinged))
        #expect(!rings(open, open) && !rings(nil, quiet) && !rings(nil, over))
    }

    @Test func bellRingsWhenHelpIsLost() throws {
        func rings(_ old: Snapshot, _ new: Snapshot) -> Bool {
            WatchPage.rings(from: old, to: new, at: Examples.now)
        }
        let taken = try takenOn()
        var withdrawn = taken
        withdrawn.alerts[0].acknowledgement = nil
        #expect(rings(taken, withdrawn) && !rings(withdrawn, taken))
        var open = try Examples.snapshot()
        open.alerts = [Examples.alert(of: Examples.me)]
        var refused = open
        refused.alerts[0].isRefusedByAll = true
        #expect(rings(open, refused) && !rings(refused, open))
    }

    @Test func pageNeedsATerminalThatRedraws() {
        #expect(ClientProcess.redraws("xterm-256color"))
        for kind in [nil, "", "dumb"] { #expect(!ClientProcess.redraws(kind)) }
    }
}
