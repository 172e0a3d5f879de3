import Domain
import Foundation
import Testing

@testable import Persistence

/// Which rows the statements about calls find and change: Ada and Ben are called about Cleo's
/// alert.
@Suite struct CallRowTests {
    private let alert = manualAlert(1, of: cleo)
    private let key = AlertKey(owner: cleo, id: id(1))
    private let later = noon.adding(.minutes(5))

    @Test func onlyTheCallsOfThisTurnStart() async throws {
        try await withLedger { engine, ledger in
            for number in 1...3 as ClosedRange<UInt8> {
                try await ledger.add(number, .alertBegin, by: .voice, about: alert)
                try await ledger.change(number, "next_try_at = NULL, reason = 'waiting-for-turn'")
            }
            try await ledger.add(4, .alertBegin, by: .voice, to: ben, about: alert)
            try await ledger.change(4, "next_try_at = NULL")
            try await ledger.change(2, "state = 'acknowledged'")
            let calls = [1, 2].map { (number: UInt8) in
                Ladder.Call(
                    delivery: id(number), person: ada, state: .waiting, createdAt: noon,
                    earlierCalls: 0)
            }
            try await engine.write(about: .none) { try $0.start(calls) }
            let started = try await ledger.numbers(
                where: "next_try_at = \(noon.milliseconds) AND reason IS NULL")
            #expect(started == [1])
        }
    }

    @Test func onlyALaterDecisionAboutCallsIsHurried() async throws {
        let nextCalls: [(Date?, Date?)] = [
            (later, noon), (noon.aMillisecondAfter, noon), (noon, noon),
            (noon.aMillisecondBefore, noon.aMillisecondBefore), (nil, nil),
        ]
        try await withLedger { engine, _ in
            var (hurried, other) = (alert, missedAlert(2, of: cleo))
            other.nextCallAt = later
            var sameID = manualAlert(1, of: ben)
            sameID.nextCallAt = later
            try await engine.write(about: .none) { [hurried, other, sameID] in
                try $0.insert([hurried, other, sameID])
            }
            for (before, after) in nextCalls {
                hurried.nextCallAt = before
                try await engine.write(about: .none) { [hurried, key] in
                    try $0.update(hurried)
                    try $0.hurryCalls(about: key)
                }
                let stored = try await engine.read {
                    [
                        try $0.alert(id(1), of: cleo)?.nextCallAt,
                        try $0.alert(id(2), of: cleo)?.nextCallAt,
                        try $0.alert(id(1), of: ben)?.nextCallAt,
                    ]
                }
                #expect(stored == [after, later, later])
            }
        }
    }

    @Test func onlyWaitingCallsToThePersonAreHurried() async throws {
        try await withLedger { engine, ledger in
            try await engine.connect(ada, watchesOver: ben)
            var alerts = [alert, missedAlert(2, of: cleo), manualAlert(3, of: ben)]
            for index in alerts.indices { alerts[index].nextCallAt = later }
            try await engine.write(about: .none) { [alerts] in try $0.insert(alerts) }
            let waiting = "state = 'queued', next_try_at = NULL"
            try await ledger.add(1, .alertBegin, by: .voice, about: alerts[0], with: waiting)
            try await ledger.add(
                2, .alertBegin, by: .voice, to: ben, about: alerts[1], with: waiting)
            try await ledger.add(
                3, .alertBegin, by: .voice, about: alerts[2],
                with: "state = 'queued', next_try_at = \(noon.milliseconds)")
            try await engine.write(about: .none) { try $0.hurryCalls(to: [ada]) }
            let stored = try await engine.read {
                [
                    try $0.alert(id(1), of: cleo)?.nextCallAt,
                    try $0.alert(id(2), of: cleo)?.nextCallAt,
                    try $0.alert(id(3), of: ben)?.nextCallAt,
                ]
            }
            #expect(stored == [noon, later, later])
        }
    }

    @Test func decisionAboutCallsIsDueAtItsTime() async throws {
        try await withLedger { engine, _ in
            var (first, second) = (alert, manualAlert(2, of: ben))
            (first.nextCallAt, second.nextCallAt) = (later, later.adding(.seconds(-1)))
            try await engine.write(about: .none) { [first, second] in
                try $0.insert([first, second])
            }
            func due(at time: Date, limit: Int = 10) async throws -> [UserID] {
                try await engine.read { try $0.alertsWithDueCalls(at: time, limit: limit) }
                    .map(\.userID)
            }
            #expect(try await due(at: later.adding(.seconds(-1)).aMillisecondBefore) == [])
            #expect(try await due(at: later.aMillisecondBefore) == [ben])
            #expect(try await due(at: later) == [ben, cleo])
            #expect(try await due(at: later, limit: 1) == [ben])
        }
    }

    @Test func callsOfTheAlertAreCounted() async throws {
        try await withLedger { engine, ledger in
            let waiting = "state = 'queued', next_try_at = NULL"
            let made = "state = 'failed', attempts = 1, next_try_at = NULL"
            try await ledger.add(1, .alertBegin, by: .voice, about: alert, with: waiting)
            try await ledger.add(2, .alertBegin, by: .voice, about: alert, with: made)
            try await ledger.add(
                3, .alertBegin, by: .voice, about: alert, at: later,
                with: "state = 'accepted', attempts = 1")
            try await ledger.add(4, .alertBegin, by: .voice, to: ben, about: alert)
            try await ledger.add(
                5, .alertBegin, by: .voice, to: ben, about: alert, with: "state = 'retrying'")
            // Neither an SMS nor another alert counts.
            try await ledger.add(6, .alertBegin, about: alert, with: "attempts = 1")
            try await ledger.add(
                7, .alertBegin, by: .voice, about: manualAlert(2, of: cleo), with: made)
            try await ledger.add(
                8, .alertBegin, by: .voice, about: manualAlert(1, of: ben), with: made)
            // The line was busy.
            try await ledger.add(
                9, .alertBegin, by: .voice, to: ben, about: alert,
                at: later.adding(.seconds(1)), with: "\(made), reason = 'line-busy'")
            let calls = try await engine.read { [alert] in try $0.calls(about: alert) }
            let open = calls.open.sorted { $0.delivery < $1.delivery }
            #expect(open.map(\.delivery.uuid.uuid.15) == [1, 3, 4])
            #expect(
                open.map(\.state) == [
                    .waiting, .underWay(since: later), .underWay(since: noon),
                ])
            #expect(open.map(\.earlierCalls) == [2, 2, 0])
            #expect(calls.rounds.sorted() == [noon, later])
            #expect(calls.called == [ada])
        }
    }

    @Test func anotherCallKeepsThePhoneBusy() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, by: .voice, about: manualAlert(1, of: ben))
            func calls(_ number: UInt8) -> [Ladder.Call] {
                [
                    Ladder.Call(
                        delivery: id(number), person: ada, state: .waiting, createdAt: noon,
                        earlierCalls: 0)
                ]
            }
            let (others, own) = (calls(2), calls(1))
            let begun = "updated_at = \(noon.milliseconds), next_try_at = \(noon.milliseconds)"
            let early = noon.adding(.zero - Ladder.callPatience).milliseconds
            let ahead = noon.adding(Ladder.aheadOfCalls).milliseconds
            for state in ["queued", "sending", "accepted"] {
                let row = "channel = 'voice', state = '\(state)', \(begun)"
                try await ledger.expectFound(
                    with: row,
                    butNotWith: [
                        "state = 'failed'", "state = 'retrying'", "channel = 'sms'",
                        "state = 'queued', next_try_at = NULL", "updated_at = \(early)",
                        "updated_at = \(ahead + 1)",
                    ]
                ) {
                    try await engine.read { try $0.busyPhones(of: others) }
                        == [ada: noon.adding(Ladder.callPatience)]
                }
                try await ledger.change(1, row)
                #expect(try await engine.read { try $0.busyPhones(of: own) }.isEmpty)
                // A transaction that began later has started the call.
                try await ledger.change(1, "updated_at = \(ahead)")
                let busy = try await engine.read { try $0.busyPhones(of: others) }
                #expect(busy == [ada: noon.adding(Ladder.callPatience)])
            }
        }
    }

    @Test func callIsTheOnlyWayOnceEarlierMessagesFailed() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, about: alert)
            let recipient = try #require(try await engine.recipient(ada))
            let item = notification(1, .alert, alert: alert.id)
            try await engine.write(about: .none) {
                try $0.insert(
                    NewDelivery(
                        id: id(2), recipient: recipient, item: item, channel: .voice,
                        pushEndpointID: nil, alertOwner: cleo))
            }
            let sent = "channel = 'sms', state = 'queued'"
            let isTold = {
                try await engine.read { [alert] in try $0.calls(about: alert) }.open
                    .map(\.isOnlyWay) == [false]
            }
            try await ledger.expectFound(
                with: sent,
                butNotWith: [
                    "state = 'failed'", "state = 'givenUp'", "channel = 'stream'",
                    "channel = 'console'",
                ]
            ) { try await isTold() }
        }
    }

    @Test func answerCountsUpToTheTime() async throws {
        try await withLedger { engine, _ in
            let helper = try #require(try await engine.recipient(ada))
            let other = manualAlert(2, of: cleo)
            try await engine.write(about: .none) { [alert] in try $0.insert([alert]) }
            var ended = alert
            ended.endedAt = noon
            try await engine.write(about: .none) { [ended] in try $0.update(ended) }
            try await engine.write(about: .none) { try $0.insert([other]) }
            for (minute, kind) in [
                (1, .acknowledged), (2, .foundSafe), (3, .declined), (3, .lapsed), (5, .withThem),
            ] as [(Int, AlertAction.Kind)] {
                try await engine.write(at: noon.adding(.minutes(minute))) { [alert] in
                    try $0.enter(kind, by: helper, about: alert)
                }
            }
            try await engine.write(at: noon.adding(.minutes(4))) {
                try $0.enter(.acknowledged, by: helper, about: other)
            }
            for (minute, last) in [(0, nil), (1, 1), (4, 2), (5, 5)] as [(Int, Int?)] {
                let answer = try await engine.read { [alert] in
                    try $0.lastAnswer(to: alert, until: noon.adding(.minutes(minute)))
                }
                #expect(answer == last.map { noon.adding(.minutes($0)) })
            }
        }
    }

    @Test func callIsWithdrawnOnceItsAlertNeedsNone() async throws {
        try await withLedger { engine, ledger in
            var alert = self.alert
            try await engine.write(about: .none) { [alert] in try $0.insert([alert]) }
            try await ledger.add(1, .alertBegin, by: .voice, about: alert)
            try await ledger.add(2, .alertBegin, by: .voice, to: ben, about: alert)
            try await ledger.add(3, .lastCall, by: .voice)
            func withdrawn() async throws -> [Bool] {
                try await engine.read {
                    [
                        try $0.isWithdrawnCall(id(1), of: ada),
                        try $0.isWithdrawnCall(id(2), of: ben),
                        try $0.isWithdrawnCall(id(3), of: ada),
                    ]
                }
            }
            #expect(try await withdrawn() == [false, false, false])
            try await ledger.change(1, "superseded = 1")
            #expect(try await withdrawn() == [true, false, false])
            for change in [
                { $0.endedAt = noon }, { $0.acknowledgedBy = ben }, { $0.report = .foundSafe },
            ] as [(inout AlertRow) -> Void] {
                var changed = alert
                change(&changed)
                try await engine.write(about: .none) { [changed] in try $0.update(changed) }
                #expect(try await withdrawn() == [true, true, false])
            }
            alert.endedAt = nil
            try await engine.write(about: .none) { [alert] in try $0.update(alert) }
            #expect(try await withdrawn() == [true, false, false])
            let key = try await engine.read {
                [
                    try $0.alert(ofDelivery: id(1), of: ada),
                    try $0.alert(ofDelivery: id(1), of: ben),
                    try $0.alert(ofDelivery: id(3), of: ada),
                ]
            }
            #expect(key == [self.key, nil, nil])
        }
    }

    @Test func resultOfACallCountsOnceAndForItsAttempt() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .alertBegin, by: .voice, about: alert)
            try await ledger.add(2, .alertBegin, by: .voice, to: ben, about: alert)
            let ringing = "channel = 'voice', state = 'accepted', attempts = 2, reason = NULL"
            let end = { (attempt: Int?) in
                try await engine.write(about: .none) {
                    try $0.endCall(id(1), to: ada, attempt: attempt, .unanswered(.noAnswer))
                }
            }
            for attempt in [2, nil] {
                try await ledger.expectFound(
                    with: ringing,
                    butNotWith: [
                        "channel = 'sms'", "state = 'failed'", "state = 'seen'",
                        "state = 'acknowledged'", "state = 'superseded'",
                    ] + (attempt == nil ? [] : ["attempts = 1", "attempts = 3"])
                ) { try await end(attempt) }
            }
            for columns in [
                "state = 'queued'", "state = 'sending'", "state = 'retrying'",
                "state = 'superseded', reason = 'unconfirmed'",
            ] {
                try await ledger.change(1, ringing)
                try await ledger.change(1, columns)
                #expect(try await end(nil), "\(columns)")
            }
            let failed = try await ledger.numbers(
                where: "state = 'failed' AND reason = 'no-answer' AND next_try_at IS NULL")
            #expect(failed == [1])
            for (outcome, state) in [
                (.takesOn, .acknowledged), (.comesLate, .seen), (.declines, .seen),
            ] as [(CallOutcome, DeliveryState)] {
                try await ledger.change(1, ringing)
                let isFirst = try await engine.write(about: .none) {
                    try $0.endCall(id(1), to: ada, outcome)
                }
                #expect(isFirst)
                #expect(try await ledger.state(1) == state)
            }
            #expect(try await ledger.numbers(where: "reason = 'declined'") == [1])
            #expect(try await ledger.state(2) == .queued)
        }
    }
}
