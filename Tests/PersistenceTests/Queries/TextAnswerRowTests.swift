import Domain
import Foundation
import Testing

@testable import Persistence

/// Which SMS an answer can refer to, and what STOP changes.
@Suite struct TextAnswerRowTests {
    private let alert = manualAlert(1, of: cleo)
    private let later = noon.adding(.minutes(5))
    private let sent = "channel = 'sms', attempts = 1, state = 'accepted'"
    private let unsent = [
        "channel = 'email'", "channel = 'voice'", "attempts = 0", "state = 'failed'",
        "state = 'givenUp'", "state = 'retrying', reason = 'http-503'",
        "state = 'retrying', reason = 'not-connected'",
    ]

    @Test func onlyTextsAboutOtherPeopleCount() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, about: alert)
            func owners() async throws -> [UserID: Date] {
                let rows = try await engine.read { try $0.textedOwners(of: ada) }
                return Dictionary(rows.map { ($0.owner, $0.newest) }, uniquingKeysWith: max)
            }
            try await ledger.expectFound(with: sent, butNotWith: unsent) {
                try await owners() == [cleo: noon]
            }
            try await ledger.change(1, sent)
            try await ledger.add(2, .alertRepeat, about: alert, at: later, with: sent)
            try await ledger.add(3, .alertBegin, about: manualAlert(3, of: ada), with: sent)
            try await ledger.add(
                4, .alertBegin, to: ben, about: manualAlert(4, of: ada), with: sent)
            try await ledger.add(5, .lastCall, with: sent)
            #expect(try await owners() == [cleo: later])
        }
    }

    @Test func timeOfTheTextIsThatOfItsAlert() async throws {
        try await withLedger { engine, ledger in
            let key = AlertKey(owner: cleo, id: alert.id)
            try await ledger.add(1, .alertBegin, about: alert)
            try await ledger.expectFound(with: sent, butNotWith: unsent) {
                let times = try await engine.read {
                    [
                        try $0.textTime(about: key, to: ada),
                        try $0.textTime(of: id(1), to: ada),
                    ]
                }
                #expect(times[0] == times[1])
                return times == [noon, noon]
            }
            try await ledger.change(1, sent)
            for (number, user, other) in [
                (2, ada, manualAlert(2, of: cleo)), (3, ada, manualAlert(1, of: ben)),
                (4, ben, alert),
            ] as [(UInt8, UserID, AlertRow)] {
                try await ledger.add(
                    number, .alertBegin, to: user, about: other, at: later, with: sent)
            }
            let times = try await engine.read {
                [
                    try $0.textTime(about: key, to: ada), try $0.textTime(of: id(1), to: ada),
                    try $0.textTime(of: id(1), to: ben),
                ]
            }
            #expect(times == [noon, noon, nil])
        }
    }

    /// An attempt that is under way may reach the phone, even if an earlier attempt failed.
    @Test(arguments: [
        ("state = 'sending', reason = 'http-503'", true),
        ("state = 'retrying', reason = 'timeout'", true),
        ("state = 'retrying', reason = 'interrupted'", true),
        ("state = 'retrying', reason = 'unconfirmed'", true),
        ("state = 'retrying', reason = 'other'", true), ("state = 'retrying', reason = NULL", true),
        ("state = 'retrying', reason = 'http-500'", true),
        ("state = 'retrying', reason = 'http-502'", true),
        ("state = 'retrying', reason = 'http-504'", true),
        ("state = 'retrying', reason = 'http-429'", false),
        ("state = 'retrying', reason = 'connection-refused'", false),
        ("state = 'retrying', reason = 'twilio-21606'", false),
    ])
    func onlyAnUncertainFailureMayBeAnswered(row: String, isCounted: Bool) async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(
                1, .alertBegin, about: alert, with: "channel = 'sms', attempts = 1, \(row)")
            try await ledger.add(
                2, .lastCall, at: later, with: "channel = 'sms', attempts = 1, \(row)")
            let times = try await engine.read {
                [
                    try $0.textedOwners(of: ada).first?.newest,
                    try $0.textTime(of: id(1), to: ada), try $0.textedQuestion(to: ada),
                    try $0.textedLastCall(of: ada, since: noon)?.sent,
                    try $0.textedDeadline(of: ada, since: noon)?.sent, try $0.textTime(to: ada),
                ]
            }
            let sent: [Date?] = [noon, noon, noon, later, later, later]
            #expect(times == (isCounted ? sent : [nil, nil, nil, nil, nil, nil]))
        }
    }

    /// The SMS about Cleo waits for the provider, and leaves five minutes after noon.
    /// - Parameter together: true if the last call, which is newer, waits as well.
    @Test(arguments: [false, true])
    func textCountsFromItsLastAttempt(together: Bool) async throws {
        try await withLedger { engine, ledger in
            let second = noon.adding(.seconds(1))
            try await ledger.add(1, .alertBegin, about: alert)
            try await ledger.change(1, "next_try_at = \(later.milliseconds)")
            try await ledger.add(2, .lastCall, at: second)
            for time in together ? [later] : [second, later] {
                for delivery in try await ledger.lease(at: time, channels: [.sms]) {
                    try await ledger.settle(delivery, as: .accepted, at: time)
                }
            }
            let times = try await engine.read {
                [
                    try $0.textedOwners(of: ada).first?.newest, try $0.textedQuestion(to: ada),
                    try $0.textTime(of: id(1), to: ada),
                    try $0.textedLastCall(of: ada, since: noon)?.sent,
                    try $0.textedDeadline(of: ada, since: noon)?.sent,
                ]
            }
            let alarm = together ? later.aMillisecondBefore : later
            let ofAda: [Date?] = together ? [later, later] : [second, nil]
            #expect(times == [alarm, alarm, alarm] + ofAda)
        }
    }

    @Test func newestLastCallSinceTheTimeIsFound() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .lastCall)
            try await ledger.add(2, .lastCall, to: ben, at: later, with: sent)
            let last = {
                try await engine.read { try $0.textedLastCall(of: ada, since: noon) }
            }
            try await ledger.expectFound(
                with: "\(sent), purpose = 'lastCall', created_at = \(noon.milliseconds)",
                butNotWith: unsent + [
                    "purpose = 'reminder'", "created_at = \(noon.milliseconds - 1)",
                ]
            ) { try await last()?.sent == noon }
            try await ledger.change(1, "created_at = \(noon.milliseconds)")
            try await ledger.add(3, .lastCall, at: noon.adding(.seconds(1)), with: sent)
            #expect(try await last()?.id == id(3))
        }
    }

    @Test func deadlineIsTextedIfTheNewestTextIsAReminder() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .reminder)
            try await ledger.add(2, .reminder, to: ben, at: later, with: sent)
            let time = {
                try await engine.read { try $0.textedDeadline(of: ada, since: noon)?.sent }
            }
            let reminder = "\(sent), purpose = 'reminder', created_at = \(noon.milliseconds)"
            try await ledger.expectFound(
                with: reminder,
                butNotWith: unsent + [
                    "purpose = 'alertNews'", "purpose = 'other'",
                    "created_at = \(noon.milliseconds - 1)",
                ]
            ) { try await time() == noon }
            try await ledger.change(1, reminder)
            try await ledger.add(3, .alertBegin, about: alert, at: later, with: sent)
            #expect(try await time() == nil)
            try await ledger.add(4, .lastCall, at: later.adding(.seconds(1)), with: sent)
            #expect(try await time() == later.adding(.seconds(1)))
            let texted = try await engine.read { try $0.textedDeadline(of: ada, since: noon)?.id }
            #expect(texted == id(4))
        }
    }

    @Test func journeyIsTextedIfTheNewestTextAsksAboutIt() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .journey)
            try await ledger.add(2, .journey, to: ben, at: later, with: sent)
            let time = {
                try await engine.read { try $0.textedJourney(of: ada, since: noon)?.sent }
            }
            let question = "\(sent), purpose = 'journey', created_at = \(noon.milliseconds)"
            try await ledger.expectFound(
                with: question,
                butNotWith: unsent + [
                    "purpose = 'reminder'", "purpose = 'other'",
                    "created_at = \(noon.milliseconds - 1)",
                ]
            ) { try await time() == noon }
            try await ledger.change(1, question)
            try await ledger.add(3, .alertBegin, about: alert, at: later, with: sent)
            #expect(try await time() == nil)
        }
    }

    @Test func manualAlertIsTextedIfTheNewestTextIsAboutIt() async throws {
        try await withLedger { engine, ledger in
            var own = manualAlert(7, of: ada)
            try await engine.write(about: .none) { [own] in try $0.insert(own) }
            try await ledger.add(1, .alertNews, about: own)
            let time = {
                try await engine.read { try $0.textedManualAlert(of: ada, since: noon)?.sent }
            }
            let news = "\(sent), created_at = \(noon.milliseconds)"
            try await ledger.expectFound(
                with: news, butNotWith: unsent + ["created_at = \(noon.milliseconds - 1)"]
            ) { try await time() == noon }
            try await ledger.change(1, news)
            own.endedAt = later
            try await engine.write(about: .none) { [own] in try $0.update(own) }
            #expect(try await time() == nil)
            own.endedAt = nil
            try await engine.write(about: .none) { [own] in try $0.update(own) }
            try await ledger.add(2, .alertBegin, about: alert, at: later, with: sent)
            #expect(try await time() == nil)
        }
    }

    @Test func questionIsAnAlertOrADrillOfAnother() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, about: alert)
            let isAsked = {
                try await engine.read { try $0.textedQuestion(to: ada) } == noon
            }
            try await ledger.expectFound(
                with: "\(sent), purpose = 'alertBegin'",
                butNotWith: unsent + ["purpose = 'alertNews'", "purpose = 'alertEnd'"]
            ) { try await isAsked() }
            try await ledger.change(1, "attempts = 0")
            try await ledger.add(2, .alertBegin, about: manualAlert(2, of: ada), with: sent)
            try await ledger.add(3, .alertBegin, to: ben, about: alert, with: sent)
            #expect(try await isAsked() == false)
            try await ledger.add(4, .drill, with: sent)
            #expect(try await isAsked())
        }
    }

    /// The server asked Ada at noon whether she is still helping Cleo.
    @Test func questionWhetherHelpGoesOnCountsUntilItsAnswer() async throws {
        try await withLedger { engine, ledger in
            var asked = alert
            (asked.acknowledgedBy, asked.acknowledgedAt, asked.askedAt) = (ada, noon, noon)
            var answered = asked
            answered.askedAt = nil
            var ofAnother = asked
            ofAnother.acknowledgedBy = ben
            var ended = asked
            ended.endedAt = noon
            try await engine.write(about: .none) { [asked] in
                try $0.insert(asked)
                try $0.update(asked)
            }
            try await ledger.add(1, .alertNews, about: alert)
            let isAsked = {
                try await engine.read { try $0.textedQuestion(to: ada) } == noon
            }
            let question = "\(sent), purpose = 'alertNews', created_at = \(noon.milliseconds)"
            try await ledger.expectFound(
                with: question,
                butNotWith: unsent + [
                    "purpose = 'alertEnd'", "created_at = \(noon.milliseconds - 1)",
                ]
            ) { try await isAsked() }
            try await ledger.change(1, question)
            for (row, counts) in [
                (asked, true), (answered, false), (ofAnother, false), (ended, false),
            ] {
                try await engine.write(about: .none) { try $0.update(row) }
                #expect(try await isAsked() == counts)
            }
        }
    }

    @Test func lastCallByPhoneIsRecognised() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .lastCall, by: .voice)
            try await ledger.expectFound(
                with: "channel = 'voice', purpose = 'lastCall'",
                butNotWith: ["channel = 'sms'", "purpose = 'alertBegin'"]
            ) { try await engine.read { try $0.isLastCall(id(1), to: ada) } }
            try await ledger.change(1, "purpose = 'lastCall'")
            let others = try await engine.read {
                [try $0.isLastCall(id(1), to: ben), try $0.isLastCall(id(2), to: ada)]
            }
            #expect(others == [false, false])
        }
    }

    @Test(arguments: [false, true]) func stopEndsTextsAndAGuestsCalls(isGuest: Bool) async throws {
        try await withLedger { engine, ledger in
            if isGuest {
                try await engine.write(about: .none) { try $0.setGuest(since: noon, ada) }
            }
            try await ledger.add(1, .lastCall)
            try await ledger.add(2, .lastCall, with: "state = 'retrying'")
            try await ledger.add(3, .lastCall, with: "state = 'sending'")
            try await ledger.add(4, .lastCall, by: .voice)
            try await ledger.add(5, .lastCall, by: .email)
            try await ledger.add(6, .lastCall, to: ben)
            let row = try #require(try await engine.read { try $0.user(ada) })
            try await engine.write(about: .none) { try $0.stopTexts(to: row) }
            let stopped = try await ledger.numbers(
                where: "state = 'failed' AND reason = 'texts-stopped' AND next_try_at IS NULL")
            #expect(stopped == (isGuest ? [1, 2, 4] : [1, 2]))
            let times = try await engine.read {
                [try $0.user(ada)?.smsStoppedAt, try $0.user(ben)?.smsStoppedAt]
            }
            #expect(times == [noon, nil])
            let changes = try await engine.write(about: .none) {
                [try $0.startTexts(to: ada), try $0.startTexts(to: ada)]
            }
            #expect(changes == [true, false])
            #expect(try await engine.read { try $0.user(ada)?.smsStoppedAt } == nil)
        }
    }

    /// The rows 1 and 2 are an SMS and a call that are being sent when Ada sends STOP.
    private func stopDuringAttempts(
        isGuest: Bool, _ engine: any DatabaseEngine, _ ledger: Ledger
    ) async throws -> [LeasedDelivery] {
        if isGuest {
            try await engine.write(about: .none) { try $0.setGuest(since: noon, ada) }
        }
        try await ledger.add(1, .lastCall)
        try await ledger.add(2, .lastCall, by: .voice)
        let taken = try await ledger.lease(at: noon, channels: [.sms, .voice])
        #expect(taken.numbers.sorted() == [1, 2])
        let row = try #require(try await engine.read { try $0.user(ada) })
        try await engine.write(about: .none) { try $0.stopTexts(to: row) }
        return taken
    }

    @Test(arguments: [false, true])
    func stopEndsRetriesOfAnAttemptInProgress(isGuest: Bool) async throws {
        try await withLedger { engine, ledger in
            for delivery in try await stopDuringAttempts(isGuest: isGuest, engine, ledger) {
                try await ledger.settle(delivery, as: .retrying, nextTry: later)
            }
            let retried = try await ledger.lease(at: later, channels: [.sms, .voice])
            #expect(retried.numbers == (isGuest ? [] : [2]))
            let stopped = try await ledger.numbers(
                where: "state = 'failed' AND reason = 'texts-stopped' AND next_try_at IS NULL")
            #expect(stopped == (isGuest ? [1, 2] : [1]))
        }
    }

    @Test func textThatGoesOutDuringStopIsAccepted() async throws {
        try await withLedger { engine, ledger in
            for delivery in try await stopDuringAttempts(isGuest: false, engine, ledger) {
                try await ledger.settle(delivery, as: .accepted)
            }
            let states = [try await ledger.state(1), try await ledger.state(2)]
            #expect(states == [.accepted, .accepted])
        }
    }

    @Test func startBeforeTheRetryAllowsIt() async throws {
        try await withLedger { engine, ledger in
            for delivery in try await stopDuringAttempts(isGuest: false, engine, ledger) {
                try await ledger.settle(delivery, as: .retrying, nextTry: later)
            }
            let isChanged = try await engine.write(about: .none) { try $0.startTexts(to: ada) }
            #expect(isChanged)
            let retried = try await ledger.lease(at: later, channels: [.sms, .voice])
            #expect(retried.numbers.sorted() == [1, 2])
        }
    }

    @Test func startAllowsTextsToOnePerson() async throws {
        try await withLedger { engine, _ in
            for user in [ada, ben] {
                let row = try #require(try await engine.read { try $0.user(user) })
                try await engine.write(about: .none) { try $0.stopTexts(to: row) }
            }
            #expect(try await engine.write(about: .none) { try $0.startTexts(to: ada) })
            #expect(try await engine.read { try $0.user(ben)?.smsStoppedAt } == noon)
        }
    }

    @Test func helpIsTextedAgainAfterItsPause() async throws {
        try await withLedger { engine, _ async throws in
            func note(_ user: UserID, unlessAfter time: Date) async throws -> Bool {
                try await engine.write(about: .none) {
                    try $0.noteHelp(to: user, unlessAfter: time)
                }
            }
            #expect(try await note(ada, unlessAfter: noon.aMillisecondBefore))
            #expect(try await note(ada, unlessAfter: noon.aMillisecondBefore) == false)
            #expect(try await note(ada, unlessAfter: noon))
            #expect(try await note(ben, unlessAfter: noon.aMillisecondBefore))
        }
    }

    @Test func onlyPendingInvitationsToTheNumberAreAnswered() async throws {
        try await withLedger { engine, _ in
            let (decliner, accepter): (UserID, UserID) = (id(4), id(5))
            for person in [decliner, accepter] { try await engine.moveIn(person) }
            let rows =
                [
                    (1, ada, cleo, .pending), (2, decliner, cleo, .declined),
                    (3, accepter, cleo, .accepted), (4, ada, ben, .pending),
                    (5, ben, cleo, .pending),
                ] as [(UInt8, UserID, UserID, Invitation.State)]
            for (number, owner, other, state) in rows {
                let invitation = Invitation(
                    id: id(number), name: "Mia",
                    phoneNumber: try PersistenceTests.number(of: other).text, state: state,
                    createdAt: noon, contactID: nil)
                try await engine.write(about: .none) { try $0.save(invitation, of: owner) }
            }
            let pending = try await engine.read {
                try $0.pendingInvitations(to: try number(of: cleo))
            }
            #expect(pending.map(\.owner) == [ada, ben])
            #expect(pending.map(\.id) == [id(1), id(5)])
        }
    }
}
