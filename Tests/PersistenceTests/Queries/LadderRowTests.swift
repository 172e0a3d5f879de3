import Domain
import Foundation
import Testing

@testable import Persistence

/// Which messages the steps of the ladder start and withdraw.
@Suite struct LadderRowTests {
    private let alert = manualAlert(1, of: cleo)
    private let sameID = manualAlert(1, of: ben)
    private let key = AlertKey(owner: cleo, id: id(1))
    private let later = noon.adding(.seconds(30))

    @Test func onlyAWaitingTextOfAnUntoldPersonStarts() async throws {
        try await withLedger { engine, ledger in
            let waiting = """
                channel = 'sms', purpose = 'alertBegin', state = 'queued',
                    reason = 'waiting-for-answer', next_try_at = \(later.milliseconds)
                """
            try await ledger.add(1, .alertBegin, about: alert)
            try await ledger.add(2, .alertBegin, to: ben, about: alert, with: waiting)
            let starts = {
                try await engine.write(about: .none) { try $0.advanceSteps(of: [ada]) }
                return try await ledger.numbers(
                    where: "next_try_at = \(noon.milliseconds) AND reason IS NULL") == [1]
            }
            try await ledger.expectFound(
                with: waiting,
                butNotWith: [
                    "channel = 'voice'", "channel = 'email'", "state = 'retrying'",
                    "purpose = 'alertEnd'", "purpose = 'lastCall'", "reason = 'storm'",
                    "next_try_at = NULL",
                ]
            ) { try await starts() }
            // A push with the same notification may still reach the person.
            let recipient = try #require(try await engine.recipient(ada))
            let item = notification(1, .alert, alert: alert.id)
            try await engine.write(about: .none) {
                try $0.insert(
                    NewDelivery(
                        id: id(3), recipient: recipient, item: item, channel: .email,
                        pushEndpointID: nil, alertOwner: cleo))
            }
            try await ledger.change(3, "next_try_at = \(later.milliseconds)")
            for (state, isStarted) in [
                ("retrying", false), ("accepted", false), ("failed", true), ("givenUp", true),
            ] {
                try await ledger.change(1, waiting)
                try await ledger.change(3, "state = '\(state)'")
                #expect(try await starts() == isStarted, "\(state)")
            }
        }
    }

    /// A limit on SMS about ends delays the second one.
    @Test func textOfAnEndStartsUnlessALimitDelaysIt() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertEnd, about: alert)
            try await ledger.expectFound(
                with: """
                    channel = 'sms', state = 'queued', reason = 'waiting-for-receipt',
                        next_try_at = \(later.milliseconds)
                    """,
                butNotWith: [
                    "next_try_at = \(later.milliseconds + 1)", "state = 'superseded'",
                    "reason = NULL", "reason = 'storm'",
                ]
            ) {
                try await engine.write(about: .none) { try $0.advanceSteps(of: [ada]) }
                return try await ledger.numbers(
                    where: "next_try_at = \(noon.milliseconds) AND reason IS NULL") == [1]
            }
        }
    }

    /// The clock was ahead. The SMS would come minutes after the push. A retry keeps its back-off.
    @Test func textOfAFastClockWaitsNoLongerThanItsStep() async throws {
        try await withLedger { engine, ledger in
            let step = noon.adding(Ladder.smsAfter).milliseconds
            for (number, reason, wait) in [
                (1, "waiting-for-answer", 0), (2, "waiting-for-answer", 1), (3, "timeout", 1),
                (4, "waiting-for-receipt", 0), (5, "waiting-for-receipt", 1),
            ] as [(UInt8, String, Int64)] {
                try await ledger.enter(number)
                try await ledger.change(
                    number, "reason = '\(reason)', next_try_at = \(step + wait)")
            }
            let correction = ClockCorrection(
                by: .hours(-2), since: noon, until: noon.adding(.hours(2)))
            try await engine.write(about: .none) { try $0.correctMoments(by: correction) }
            #expect(
                try await ledger.numbers(where: "next_try_at = \(noon.milliseconds)") == [2, 5])
        }
    }

    @Test func textOfADrillStartsWithoutAnAlert() async throws {
        try await withLedger { engine, ledger in
            for (number, purpose) in [(1, .drill), (2, .lastCall), (3, .ping)]
                as [(UInt8, DeliveryPurpose)]
            {
                try await ledger.add(
                    number, purpose, with: "next_try_at = \(later.milliseconds)")
            }
            try await engine.write(about: .none) { try $0.advanceSteps(of: [ada]) }
            let started = try await ledger.numbers(where: "next_try_at = \(noon.milliseconds)")
            #expect(started == [1])
        }
    }

    @Test func onlyUnsentTextsAndCallsOfTheAlertAreWithdrawn() async throws {
        try await withLedger { engine, ledger in
            let waiting = """
                channel = 'sms', purpose = 'alertBegin', state = 'queued', superseded = 0,
                    reason = NULL, created_at = \(noon.milliseconds)
                """
            try await ledger.add(1, .alertBegin, about: alert)
            try await ledger.add(2, .alertBegin, to: ben, about: alert)
            try await ledger.add(3, .alertBegin, about: sameID)
            try await ledger.add(4, .alertBegin, about: manualAlert(2, of: cleo))
            let isWithdrawn = { (step: Ladder.Step) in
                try await engine.write(about: .none) { [key] in
                    try $0.withdrawSteps(
                        from: step, about: key, for: [ada], until: noon, reason: .opened)
                }
                return try await ledger.numbers(
                    where: "superseded = 1 AND state = 'superseded' AND reason = 'opened'") == [1]
            }
            try await ledger.expectFound(
                with: waiting,
                butNotWith: [
                    "channel = 'email'", "channel = 'stream'", "purpose = 'alertEnd'",
                    "state = 'accepted'", "created_at = \(noon.milliseconds + 1)",
                ]
            ) { try await isWithdrawn(.sms) }
            for (channel, isCall) in [("sms", false), ("voice", true)] {
                try await ledger.change(1, waiting)
                try await ledger.change(1, "channel = '\(channel)'")
                #expect(try await isWithdrawn(.call) == isCall, "\(channel)")
            }
            try await engine.write(about: .none) { [key] in
                try $0.withdrawSteps(about: key, reason: .takenOn)
            }
            #expect(try await ledger.numbers(where: "reason = 'taken-on'") == [2])
        }
    }

    @Test func openedAlertIsSeenByThisPersonOnly() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, by: .webhook, about: alert)
            try await ledger.add(2, .alertBegin, by: .webhook, to: ben, about: alert)
            try await ledger.add(3, .alertBegin, by: .webhook, about: sameID)
            try await ledger.add(4, .alertBegin, by: .webhook, about: manualAlert(2, of: cleo))
            for (state, isSeen) in [
                ("queued", true), ("sending", true), ("retrying", true), ("accepted", true),
                ("acknowledged", false), ("failed", false), ("superseded", false),
            ] {
                try await ledger.change(1, "state = '\(state)'")
                try await engine.write(about: .none) { [key] in
                    try $0.markOpened(key, by: ada)
                }
                #expect(
                    try await ledger.numbers(where: "state = 'seen'") == (isSeen ? [1] : []),
                    "\(state)")
            }
        }
    }

    /// Opening the app says nothing about a call, an SMS or an e-mail.
    @Test(arguments: [false, true])
    func openingIsTheReasonOnlyOfCarriersMessages(byRead: Bool) async throws {
        try await withLedger { engine, ledger in
            let channels: [DeliveryChannel] = [.sms, .email, .voice, .webhook, .stream]
            for (number, channel) in zip(1...5 as ClosedRange<UInt8>, channels) {
                try await ledger.add(
                    number, .alertBegin, by: channel, about: alert, with: "state = 'accepted'")
            }
            try await engine.write(about: .none) { [key] in
                if byRead {
                    _ = try $0.markRead(.until(noon), of: ada)
                } else {
                    try $0.markOpened(key, by: ada)
                }
            }
            #expect(try await ledger.numbers(where: "state = 'seen'") == [1, 2, 3, 4, 5])
            #expect(try await ledger.numbers(where: "reason = 'opened'") == [1, 2, 3])
        }
    }

    @Test func markAllReadKeepsAlertSteps() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, about: alert)
            try await ledger.add(2, .alertRepeat, by: .voice, about: alert)
            try await ledger.add(3, .alertBegin, by: .webhook, about: alert)
            try await ledger.add(4, .alertNews, about: alert, with: "state = 'accepted'")
            try await ledger.add(5, .alertUntaken, by: .stream, about: alert)
            try await ledger.add(6, .alertEnd, about: alert)
            try await ledger.add(7, .drill)
            let read = try await engine.write(about: .none) {
                try $0.markRead(.until(noon), of: ada, isAct: false)
            }
            #expect(read == 7)
            #expect(try await ledger.numbers(where: "state = 'seen'") == [6, 7])
            #expect(try await ledger.numbers(where: "reason = 'opened'") == [6, 7])
            #expect(try await ledger.numbers(where: "state = 'queued'") == [1, 2, 3, 5])
            // The notifications are read, but reading one by itself still stops the steps.
            try await engine.write(about: .none) { _ = try $0.markRead(.one(id(3)), of: ada) }
            #expect(try await ledger.numbers(where: "state = 'superseded'") == [1, 2])
            #expect(try await ledger.numbers(where: "state = 'seen'") == [3, 6, 7])
        }
    }

    /// Each delivery has its own notification.
    @Test(arguments: [false, true])
    func deletingAllKeepsTheTextOfUnsentMessages(isAct: Bool) async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, about: alert)
            try await ledger.add(2, .alertRepeat, by: .voice, about: alert)
            try await ledger.add(3, .alertBegin, about: alert, with: "state = 'accepted'")
            try await ledger.add(4, .alertEnd, about: alert)
            let deleted = try await engine.write(about: .none) {
                try $0.deleteNotifications(.until(noon), of: ada, isAct: isAct)
            }
            #expect(deleted == 4)
            let unsent: [UInt8] = isAct ? [] : [1, 2]
            #expect(try await ledger.numbers(where: "state = 'queued'") == unsent)
            let kept = try await ledger.numbers(
                where: "notification_id IN (SELECT id FROM notifications)")
            #expect(kept == unsent)
        }
    }

    @Test func reportOfArrivalCountsAfterOpening() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, about: alert, with: "state = 'accepted'")
            func report(_ state: DeliveryState) async throws -> Bool {
                try await engine.write(about: .none) {
                    try $0.reportDelivery(
                        id(1), of: ada, attempt: nil, ProviderReport(state: state))
                }
            }
            try await engine.write(about: .none) { [key] in try $0.markOpened(key, by: ada) }
            #expect(try await report(.failed) == false)
            #expect(try await report(.seen))
            #expect(try await ledger.numbers(where: "state = 'seen' AND reason IS NULL") == [1])
            #expect(try await report(.seen) == false)
            try await ledger.change(1, "state = 'acknowledged', reason = 'opened'")
            #expect(try await report(.seen) == false)
        }
    }

    /// Reading an older notification leaves the SMS of a newer alarm in place.
    @Test func readNotificationWithdrawsOnlyUpToItsTime() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, by: .webhook, about: alert)
            try await ledger.add(2, .alertBegin, about: alert)
            let after = noon.aMillisecondAfter
            try await ledger.add(3, .alertRepeat, about: alert, at: after)
            try await ledger.add(4, .alertBegin, to: ben, about: alert)
            try await ledger.add(5, .alertBegin, about: sameID)
            try await engine.write(about: .none) { _ = try $0.markRead(.one(id(1)), of: ada) }
            #expect(try await ledger.numbers(where: "reason = 'opened'") == [2])
            #expect(try await ledger.numbers(where: "state = 'seen'") == [1])
            try await engine.write(about: .none) { _ = try $0.markRead(.until(after), of: ada) }
            #expect(try await ledger.numbers(where: "state = 'queued'") == [4])
        }
    }
}
