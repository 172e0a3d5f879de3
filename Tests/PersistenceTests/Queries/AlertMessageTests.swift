import Domain
import Foundation
import Testing

@testable import Persistence

/// Which messages about alerts the statements find and change. Beside each message that counts
/// stand others that differ in one column: another recipient, owner, alert, channel or state.
@Suite struct AlertMessageTests {
    /// Cleo's alert, and another one with the same id.
    private let alert = manualAlert(1, of: cleo)
    private let sameID = manualAlert(1, of: ben)
    private let next = manualAlert(2, of: cleo)
    private let later = noon.adding(.minutes(5))

    // MARK: What was sent

    @Test func onlySentMessagesOfTheOwnerCount() async throws {
        try await withLedger { engine, ledger in
            let after = noon.aMillisecondAfter
            try await ledger.add(1, .alertBegin, about: alert, at: after)
            try await ledger.add(
                2, .alertEnd, about: next, at: after, with: "reason = 'waiting-for-answer'")
            try await ledger.add(3, .alertEnd, about: alert, at: after, with: "reason = 'storm'")
            try await ledger.add(4, .alertEnd, by: .email, about: alert, at: after)
            try await ledger.add(5, .alertEnd, about: alert, at: noon)
            try await ledger.add(6, .alertEnd, about: sameID, at: after)
            try await ledger.add(7, .alertEnd, to: ben, about: alert, at: after)
            try await ledger.add(
                8, .alertEnd, about: alert, at: after, with: "reason = 'waiting-for-answer'")
            let counts = try await engine.read {
                [
                    try $0.countMessages(by: .sms, about: cleo, to: [ada], since: noon),
                    try $0.countMessages(by: .sms, about: cleo, to: [ada, ben], since: noon),
                ]
            }
            #expect(counts == [[ada: 3], [ada: 3, ben: 1]])
        }
    }

    @Test func lastDeliveryIsTheNewestAttemptToThePerson() async throws {
        try await withLedger { engine, ledger in
            let tried = "attempts = 1"
            try await ledger.add(1, .alertBegin, about: alert, with: tried)
            try await ledger.add(
                2, .alertRepeat, about: alert, at: noon.adding(.seconds(1)), with: tried)
            let after = noon.adding(.seconds(2))
            try await ledger.add(3, .alertRepeat, about: alert, at: after)
            try await ledger.add(4, .alertRepeat, by: .email, about: alert, at: after, with: tried)
            try await ledger.add(5, .alertBegin, about: next, at: after, with: tried)
            try await ledger.add(6, .alertRepeat, to: ben, about: alert, at: after, with: tried)
            try await ledger.add(7, .alertBegin, about: sameID, at: after, with: tried)
            let key = AlertKey(owner: cleo, id: alert.id)
            let last = try await engine.read {
                try $0.lastDelivery(about: .alert(key), to: ada, by: .sms)
            }
            #expect(last == id(2))
            let firstTime = try await engine.read {
                try $0.firstDeliveryTime(about: .alert(key), to: ada, by: .sms)
            }
            #expect(firstTime == noon)
        }
    }

    @Test func lastDeliveryOfANotificationIsAnAttempt() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .lastCall)
            try await ledger.expectFound(
                with: "channel = 'sms', attempts = 1",
                butNotWith: ["channel = 'email'", "attempts = 0"]
            ) {
                try await engine.read {
                    try $0.lastDelivery(about: .drill(id(1)), to: ada, by: .sms)
                } == id(1)
            }
            try await ledger.change(1, "channel = 'sms', attempts = 1")
            let others = try await engine.read {
                [
                    try $0.lastDelivery(about: .drill(id(1)), to: ben, by: .sms),
                    try $0.lastDelivery(about: .drill(id(2)), to: ada, by: .sms),
                ]
            }
            #expect(others == [nil, nil])
            let times = try await engine.read {
                [
                    try $0.firstDeliveryTime(about: .drill(id(1)), to: ada, by: .sms),
                    try $0.firstDeliveryTime(about: .drill(id(1)), to: ada, by: .email),
                    try $0.firstDeliveryTime(about: .drill(id(1)), to: ben, by: .sms),
                ]
            }
            #expect(times == [noon, nil, nil])
        }
    }

    @Test func callForHelpCountsUnlessItIsKnownToHaveFailed() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, about: alert)
            let isClaimed = { (claim: AlertClaim) in
                try await engine.read {
                    try $0.lastClaims(about: cleo, to: [ada], by: [.sms])
                }.values.contains(claim)
            }
            let sent = """
                channel = 'sms', purpose = 'alertBegin', state = 'accepted', attempts = 1,
                    reason = NULL, superseded = 0
                """
            try await ledger.expectFound(
                with: sent,
                butNotWith: [
                    "channel = 'email'", "attempts = 0", "state = 'failed'", "state = 'givenUp'",
                    "state = 'superseded'", "state = 'queued', superseded = 1",
                    "state = 'queued', attempts = 0, reason = 'storm'",
                ]
            ) { try await isClaimed(.needsHelp) }
            for state in ["seen", "acknowledged", "queued", "sending", "retrying"] {
                try await ledger.change(1, sent)
                try await ledger.change(1, "state = '\(state)'")
                #expect(try await isClaimed(.needsHelp), "\(state)")
            }
        }
    }

    @Test func newsCountsOnceItMayHaveArrived() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertEnd, about: alert)
            let isOver = {
                try await engine.read {
                    try $0.lastClaims(about: cleo, to: [ada], by: [.sms], since: noon)
                }.values.contains(.isOver)
            }
            let waiting = """
                state = 'queued', attempts = 0, reason = NULL, created_at = \(millisecond)
                """
            try await ledger.expectFound(
                with: waiting,
                butNotWith: [
                    "state = 'superseded'", "state = 'retrying'", "reason = 'storm'",
                    "created_at = \(millisecond - 1)",
                ]
            ) { try await isOver() }
            try await ledger.change(1, "\(waiting), superseded = 1")
            try await ledger.change(1, "state = 'superseded', attempts = 1")
            #expect(try await isOver())
        }
    }

    @Test func newestMessageOfEachEndpointDecides() async throws {
        try await withLedger { engine, ledger in
            let sent = "attempts = 1, state = 'accepted'"
            try await ledger.add(1, .alertBegin, about: alert, with: sent)
            // Of two messages with the same time, the call for help is ignored.
            try await ledger.add(2, .alertEnd, about: alert, with: sent)
            try await ledger.add(3, .alertBegin, about: sameID, at: later, with: sent)
            try await ledger.add(4, .alertBegin, to: ben, about: next, at: later, with: sent)
            try await ledger.add(5, .alertEnd, to: ben, about: alert, with: sent)
            try await ledger.add(6, .alertNews, by: .email, about: alert, with: sent)
            let claims = try await engine.read {
                try $0.lastClaims(about: cleo, to: [ada, ben], by: [.sms, .email])
            }
            func endpoint(_ user: UserID, _ channel: DeliveryChannel) -> DeliveryEndpoint {
                DeliveryEndpoint(userID: user, channel: channel, pushEndpointID: nil)
            }
            let expected: [DeliveryEndpoint: AlertClaim] = [
                endpoint(ada, .sms): .isOver, endpoint(ben, .sms): .needsHelp,
                endpoint(ada, .email): .isInHand,
            ]
            #expect(claims == expected)
        }
    }

    // MARK: How people were reached

    private func isReachedBySMS(_ engine: any DatabaseEngine) async throws -> Bool? {
        try await engine.read { [alert] in try $0.reach(of: alert)[ada]?.bySMS }
    }

    @Test func reachByTextNeedsAnAttemptOrASparedText() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, about: alert)
            let sent = "channel = 'sms', attempts = 1, reason = NULL"
            try await ledger.expectFound(
                with: sent,
                butNotWith: [
                    "attempts = 0", "channel = 'email'",
                    "channel = 'email', attempts = 0, reason = 'storm'",
                ]
            ) { try await isReachedBySMS(engine) == true }
            for other in ["channel = 'voice'", "attempts = 0, reason = 'storm'"] {
                try await ledger.change(1, sent)
                try await ledger.change(1, other)
                #expect(try await isReachedBySMS(engine) == true, "\(other)")
            }
            try await ledger.add(2, .alertBegin, to: ben, about: next, with: "attempts = 1")
            let people = try await engine.read { [alert] in
                (Set(try $0.reach(of: alert).keys), try $0.notifiedUsers(of: alert))
            }
            #expect(people.0 == [ada] && people.1 == [ada])
        }
    }

    @Test func reachByPushNeedsAnAcceptedAttempt() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, by: .webhook, about: alert)
            try await ledger.expectFound(
                with: "channel = 'webhook', attempts = 1, state = 'accepted'",
                butNotWith: [
                    "attempts = 0", "state = 'retrying'", "state = 'failed'",
                    "channel = 'stream'", "channel = 'sms'",
                ]
            ) { try await engine.read { [alert] in try $0.reach(of: alert)[ada]?.byPush == true } }
        }
    }

    @Test func attemptAfterTheReadingCounts() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, about: alert)
            try await ledger.add(2, .alertBegin, to: ben, about: alert, with: "attempts = 1")
            let isTexted = {
                try await engine.read { [alert] in
                    var reach = [ada: AlertReach(bySMS: false)]
                    try $0.addAttempts(about: alert, to: &reach)
                    return reach == [ada: AlertReach(bySMS: true)]
                }
            }
            try await ledger.expectFound(
                with: "channel = 'sms', attempts = 1, state = 'sending'",
                butNotWith: ["attempts = 0", "channel = 'email'"]
            ) { try await isTexted() }
            try await ledger.change(1, "channel = 'voice', attempts = 1")
            #expect(try await isTexted())
            let isPushed = {
                try await engine.read { [alert] in
                    var reach = [ada: AlertReach(bySMS: false)]
                    try $0.addAttempts(about: alert, to: &reach)
                    return reach == [ada: AlertReach(bySMS: false, byPush: true)]
                }
            }
            try await ledger.expectFound(
                with: "channel = 'webhook', attempts = 1, state = 'sending'",
                butNotWith: ["attempts = 0", "state = 'superseded'", "channel = 'stream'"]
            ) { try await isPushed() }
            let known = try await engine.read { [next] in
                var reach = [ada: AlertReach(bySMS: true), ben: AlertReach(bySMS: false)]
                try $0.addAttempts(about: next, to: &reach)
                return reach
            }
            #expect(known == [ada: AlertReach(bySMS: true), ben: AlertReach(bySMS: false)])
        }
    }

    /// The last SMS about an earlier alert said "needs help", so the end of this one is texted.
    @Test func personLeftAlarmedCountsAsTexted() async throws {
        try await withLedger { engine, ledger in
            let sent = "channel = 'sms', attempts = 1, state = 'accepted'"
            try await ledger.add(1, .alertBegin, by: .email, about: alert, with: "attempts = 1")
            #expect(try await isReachedBySMS(engine) == false)
            try await ledger.add(2, .alertBegin, about: sameID, with: sent)
            #expect(try await isReachedBySMS(engine) == false)
            try await ledger.add(3, .alertBegin, about: next, with: sent)
            #expect(try await isReachedBySMS(engine) == true)
            try await ledger.add(4, .alertEnd, about: next, at: later, with: sent)
            #expect(try await isReachedBySMS(engine) == false)
            for (columns, isAlarmed) in [
                ("state = 'seen'", false), ("state = 'failed'", true),
                ("state = 'superseded', attempts = 0", true),
                ("state = 'accepted', attempts = 1, created_at = \(millisecond - 1)", true),
            ] {
                try await ledger.change(4, columns)
                #expect(try await isReachedBySMS(engine) == isAlarmed, "\(columns)")
            }
        }
    }

    @Test func unsentEndStillReachesItsPeople() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertEnd, about: alert)
            let reach = {
                try await engine.read { try $0.reachOfOpenAlerts(of: cleo)[ada]?.bySMS }
            }
            try await ledger.expectFound(
                with: "channel = 'sms', purpose = 'alertEnd', state = 'retrying'",
                butNotWith: [
                    "channel = 'stream'", "channel = 'email'", "purpose = 'alertNews'",
                    "state = 'accepted'", "state = 'superseded'",
                ]
            ) { try await reach() == true }
            try await ledger.change(1, "channel = 'email', state = 'queued'")
            try await ledger.change(1, "purpose = 'alertEnd'")
            #expect(try await reach() == false)
            // Ada may get messages about Ben's alerts, too.
            try await engine.connect(ada, watchesOver: ben)
            let ofBen = try await engine.read { try $0.reachOfOpenAlerts(of: ben) }
            #expect(ofBen.isEmpty)
        }
    }

    @Test func othersToldAreThoseOfTheAlert() async throws {
        try await withLedger { engine, ledger in
            try await engine.write(about: .none) { [alert] in try $0.insert([alert]) }
            try await ledger.add(1, .alertBegin, about: alert, with: "recipient_name = 'Ada'")
            try await ledger.add(2, .alertBegin, about: sameID, with: "recipient_name = 'Ada B.'")
            try await ledger.add(3, .alertBegin, about: next, with: "recipient_name = 'Ada C.'")
            let record = try await engine.read { [alert] in
                try $0.record(
                    of: alert, for: AlertViewer(ben) { person, _ in person.uuid },
                    withLedger: true)
            }
            #expect(record.othersTold == ["Ada"])
        }
    }

    // MARK: Withdrawals

    private var millisecond: Int64 { noon.milliseconds }

    @Test func onlyHeldMessagesAboutEndsAreWithdrawn() async throws {
        try await withLedger { engine, ledger in
            let held = """
                channel = 'sms', purpose = 'alertEnd', state = 'queued', reason = NULL,
                    next_try_at = \(later.milliseconds)
                """
            let others = [
                "channel = 'email'", "purpose = 'alertNews'", "state = 'retrying'",
                "next_try_at = \(millisecond)",
            ]
            try await ledger.add(1, .alertEnd, about: alert)
            try await ledger.add(2, .alertEnd, to: ben, about: alert, with: held)
            try await ledger.add(3, .alertEnd, about: sameID, with: held)
            try await ledger.expectFound(with: held, butNotWith: others) {
                try await engine.read { try $0.peopleWithHeldEnds(of: cleo, among: [ada]) } == [ada]
            }
            try await ledger.expectFound(with: held, butNotWith: others) {
                try await engine.write(about: .none) {
                    try $0.withdrawWaitingEnds(of: cleo, for: [ada], by: .sms)
                }
                return try await ledger.numbers(
                    where: "state = 'superseded' AND next_try_at IS NULL AND reason = 'storm'")
                    == [1]
            }
        }
    }

    @Test func newAlertSupersedesUnsentEnds() async throws {
        try await withLedger { engine, ledger in
            let retrying = "state = 'retrying', next_try_at = \(later.milliseconds)"
            try await ledger.add(1, .alertEnd, about: alert, with: retrying)
            try await ledger.add(2, .alertEnd, about: alert)
            try await ledger.add(
                3, .alertEnd, about: alert, with: "next_try_at = \(millisecond + 1)")
            try await ledger.add(4, .alertEnd, about: alert, with: "state = 'sending'")
            try await ledger.add(5, .alertEnd, by: .webhook, about: alert, with: retrying)
            try await ledger.add(6, .alertEnd, by: .webhook, about: alert)
            try await ledger.add(7, .alertEnd, to: ben, about: alert, with: retrying)
            try await ledger.add(8, .alertEnd, about: sameID, with: retrying)
            try await ledger.add(9, .alertNews, about: alert, with: retrying)
            let affected = try await engine.write(about: .none) {
                [
                    try $0.supersedeEnds(for: [ben: [cleo]]),
                    try $0.supersedeEnds(for: [cleo: [ada], ben: [ben]]),
                ]
            }
            let expected: [Set<UserID>] = [[], [cleo]]
            #expect(affected == expected)
            let superseded = try await ledger.numbers(
                where: "superseded = 1 AND reason = 'newer-news'")
            #expect(superseded == [1, 2, 4])
            let settled = try await ledger.numbers(
                where: "state = 'superseded' AND next_try_at IS NULL")
            #expect(settled == [1, 2])
            #expect(try await ledger.state(4) == .sending)
            // A webhook reports every end, so it goes before the new alert.
            let hurried = try await ledger.numbers(where: "next_try_at = \(millisecond - 1)")
            #expect(hurried == [5])
            #expect(try await ledger.numbers(where: "next_try_at = \(millisecond)") == [4, 6])
        }
    }

    @Test func checkInWithdrawsOnlyUnsentReminders() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .reminder)
            try await ledger.add(2, .reminder, to: ben)
            let waiting = """
                purpose = 'reminder', state = 'queued', superseded = 0, reason = NULL,
                    next_try_at = \(millisecond)
                """
            try await ledger.expectFound(
                with: waiting,
                butNotWith: ["purpose = 'journey'", "state = 'accepted'", "next_try_at = NULL"]
            ) {
                try await engine.write(about: .none) { try $0.supersedeReminders(of: ada) }
                return try await ledger.numbers(
                    where: "state = 'superseded' AND superseded = 1 AND next_try_at IS NULL")
                    == [1]
            }
            try await ledger.change(1, waiting)
            try await ledger.change(1, "state = 'sending', purpose = 'lastCall'")
            try await engine.write(about: .none) { try $0.supersedeReminders(ofMissed: [ada]) }
            let underWay = try await ledger.numbers(
                where: """
                    state = 'sending' AND superseded = 1 AND reason = 'too-late'
                        AND next_try_at = \(millisecond)
                    """)
            #expect(underWay == [1])
        }
    }

    @Test func newerReminderWithdrawsThePersonsUnsentReminders() async throws {
        try await withLedger { engine, ledger in
            let waiting = "state = 'retrying', next_try_at = \(millisecond)"
            try await ledger.add(1, .reminder, with: waiting)
            try await ledger.add(2, .lastCall, with: waiting)
            try await ledger.add(3, .reminder, to: ben, with: waiting)
            try await engine.write(about: .none) {
                try $0.supersedeReminders(ofRemindedAgain: [ada])
            }
            let superseded = try await ledger.numbers(
                where: "state = 'superseded' AND reason = 'newer-news' AND next_try_at IS NULL")
            #expect(superseded == [1])
        }
    }

    @Test func withdrawalConcernsOnePersonAndOneOwner() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, about: alert)
            try await ledger.add(2, .alertBegin, to: ben, about: alert)
            try await ledger.add(3, .alertBegin, about: sameID)
            try await ledger.add(4, .lastCall)
            let waiting = """
                channel = 'sms', state = 'retrying', superseded = 0, next_try_at = \(millisecond)
                """
            try await ledger.expectFound(
                with: waiting, butNotWith: ["channel = 'stream'", "state = 'accepted'"]
            ) {
                try await engine.write(about: .none) {
                    try $0.supersedeDeliveries(ofAlertsOf: cleo, to: ada)
                }
                return try await ledger.numbers(where: "superseded = 1") == [1]
            }
            try await ledger.change(1, waiting)
            try await ledger.change(1, "state = 'sending'")
            try await engine.write(about: .none) {
                try $0.supersedeDeliveries(ofAlertsOf: cleo, to: ada)
            }
            let underWay = try await ledger.numbers(
                where: "state = 'sending' AND superseded = 1 AND next_try_at IS NOT NULL")
            #expect(underWay == [1])
        }
    }

    @Test func answerWithdrawsRepeatsAfterAnAlarmOnTheSameChannel() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, about: alert)
            try await ledger.add(2, .alertRepeat, about: alert, at: later)
            try await ledger.add(3, .alertUntaken, by: .email, about: alert, at: later)
            try await ledger.add(4, .alertNews, about: alert, at: later)
            try await ledger.add(5, .alertRepeat, by: .email, about: alert, at: later)
            try await ledger.add(6, .alertRepeat, to: ben, about: alert, at: later)
            try await ledger.add(7, .alertUntaken, about: next, at: later)
            try await ledger.add(8, .alertUntaken, about: sameID, at: later)
            let alarm = "channel = 'sms', purpose = 'alertBegin'"
            let waiting = "state = 'queued', superseded = 0"
            func superseded() async throws -> [UInt8] {
                for number in 2...8 as ClosedRange<UInt8> {
                    try await ledger.change(number, waiting)
                }
                try await engine.write(about: .none) { [alert] in
                    try $0.supersedeAlarms(about: alert, for: [ada])
                }
                return try await ledger.numbers(where: "superseded = 1")
            }
            for state in ["accepted", "seen", "acknowledged"] {
                try await ledger.change(1, "\(alarm), state = '\(state)'")
                #expect(try await superseded() == [2, 3], "\(state)")
            }
            let others = [
                "state = 'failed'", "state = 'givenUp'", "channel = 'webPush'",
                "purpose = 'alertNews'",
            ]
            for other in others {
                try await ledger.change(1, "\(alarm), state = 'accepted'")
                try await ledger.change(1, other)
                #expect(try await superseded() == [3], "\(other)")
            }
        }
    }

    // MARK: News that a limit holds back

    private let held = "reason = 'storm'"

    @Test func onlyHeldNewsOfTheAlertIsDeleted() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertNews, about: alert, with: held)
            try await ledger.add(2, .alertNews, about: alert)
            try await ledger.add(3, .alertNews, about: alert, with: "\(held), state = 'retrying'")
            try await ledger.add(4, .alertNews, about: alert, with: "\(held), next_try_at = NULL")
            try await ledger.add(5, .alertNews, to: ben, about: alert, with: held)
            try await ledger.add(6, .alertNews, about: next, with: held)
            try await ledger.add(7, .alertNews, about: sameID, with: held)
            try await engine.write(about: .none) { [alert] in
                try $0.deleteHeldNews(about: alert, for: [ada])
            }
            #expect(try await ledger.numbers(where: "1 = 1") == [2, 3, 4, 5, 6, 7])
        }
    }

    /// Ada's later return stays beside news of her responders, and the other way round.
    @Test func newsOfTheJourneyAndOfRespondersStayApart() async throws {
        try await withLedger { engine, ledger in
            for number in 1...4 as ClosedRange<UInt8> {
                try await ledger.enter(
                    number, number.isMultiple(of: 2) ? .system : .alert, alert: alert)
                try await ledger.change(number, "purpose = 'alertNews'")
                if number > 2 { try await ledger.change(number, held) }
            }
            try await engine.write(about: .none) { [alert] in
                try $0.supersedeNews(about: alert, for: [ada])
            }
            #expect(try await ledger.numbers(where: "state = 'queued'") == [2, 4])
            #expect(try await ledger.numbers(where: "state = 'superseded'") == [1])
            try await engine.write(about: .none) { [alert] in
                try $0.deleteHeldNews(about: alert, for: [ada], ofJourney: true)
            }
            #expect(try await ledger.numbers(where: "state = 'queued'") == [2])
        }
    }

    @Test func onlyHeldNewsAboutThePersonIsDeleted() async throws {
        try await withLedger { engine, ledger in
            try await ledger.enter(1, .ping, about: ben)
            try await ledger.enter(2, .ping, about: ben)
            try await ledger.enter(3, .roleChanged, about: ben)
            try await ledger.enter(4, .ping, about: cleo)
            try await ledger.enter(5, .ping)
            try await ledger.enter(6, .ping, to: cleo, about: ben)
            for number in 1...6 as ClosedRange<UInt8> { try await ledger.change(number, held) }
            try await ledger.enter(7, .ping, about: ben)
            func left(after deletion: @escaping @Sendable (Transaction) throws -> Void)
                async throws -> [UInt8]
            {
                try await engine.write(about: .none, deletion)
                return try await ledger.numbers(where: "1 = 1")
            }
            let titled = try await left {
                try $0.deleteHeldNews([.ping], titled: "Title 2", about: ben, to: [ada])
            }
            #expect(titled == [1, 3, 4, 5, 6, 7])
            let ofType = try await left {
                try $0.deleteHeldNews([.ping], titled: nil, about: ben, to: [ada])
            }
            #expect(ofType == [3, 4, 5, 6, 7])
            let aboutNobody = try await left {
                try $0.deleteHeldNews([.ping], titled: nil, about: nil, to: [ada])
            }
            #expect(aboutNobody == [3, 4, 6, 7])
            let ofLeaver = try await left { try $0.withdrawNews(about: ben, to: [ada]) }
            #expect(ofLeaver == [4, 6, 7])
            #expect(try await ledger.numbers(where: "state = 'superseded'") == [7])
        }
    }

    /// News of the account stays to be sent after its recipient has deleted it.
    @Test func heldNewsWithADeletedNotificationIsDeleted() async throws {
        try await withLedger { engine, ledger in
            for number in [1, 2] as [UInt8] { try await ledger.add(number, .other, with: held) }
            func left(after act: @escaping @Sendable (Transaction) throws -> Void)
                async throws -> [UInt8]
            {
                try await engine.write(about: .none, act)
                return try await ledger.numbers(where: "state = 'queued'")
            }
            let deleted = try await left {
                _ = try $0.deleteNotifications(.until(noon), of: ada)
            }
            #expect(deleted == [1, 2])
            let otherType = try await left {
                try $0.deleteHeldNews([.ping], titled: nil, about: nil, to: [ada])
            }
            #expect(otherType == [1, 2])
            let titled = try await left {
                try $0.deleteHeldNews([.system], titled: "Title 2", about: nil, to: [ada])
            }
            #expect(titled == [1])
        }
    }
}
