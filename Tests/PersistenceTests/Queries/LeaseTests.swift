import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

/// How workers lease deliveries, and what can change a leased delivery.
@Suite struct LeaseTests {
    private let alert = manualAlert(1, of: cleo)

    private func due(_ engine: any DatabaseEngine, at time: Date = noon) async throws
        -> [DueDelivery]
    {
        try await engine.read { connection in
            try DueDelivery.priorities.flatMap {
                try connection.dueDeliveries(.sms, priority: $0, at: time, limit: 100)
            }
        }
    }

    private func reason(_ number: UInt8, _ engine: any DatabaseEngine) async throws -> String? {
        let id: DeliveryID = id(number)
        return try await engine.read { connection in
            try connection.value("SELECT reason FROM deliveries WHERE id = $1", [.id(id)])
        }
    }

    @Test func dueRowsArePagedInIndexOrder() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben)
            for number in 1...9 as ClosedRange<UInt8> {
                let time = noon.adding(.milliseconds(Int64(number / 3)))
                try await ledger.enter(number, to: number.isMultiple(of: 2) ? ada : ben, at: time)
            }
            let now = noon.adding(.seconds(1))
            let all = try await due(engine, at: now)
            #expect(all.count == 9 && all.map(\.dueAt) == all.map(\.dueAt).sorted())
            var paged: [DueDelivery] = []
            for _ in 0..<4 {
                let last = paged.last
                paged += try await engine.read {
                    try $0.dueDeliveries(.sms, priority: 0, after: last, at: now, limit: 2)
                }
            }
            #expect(paged == Array(all.prefix(8)))
        }
    }

    /// A join or sort of all due rows would take quadratic time after an outage.
    @Test(.enabled(if: !TestDatabase.isPostgreSQL))
    func workerReadsOnlyLeasedRows() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben, cleo)
            for number in 1...3 as ClosedRange<UInt8> {
                try await ledger.enter(number, alert: alert)
            }
            let plans = PlanRecorder.Plans()
            try await engine.write(about: .none) { transaction in
                let recorder = Transaction(PlanRecorder(connection: transaction, plans: plans))
                let endpoint = DeliveryEndpoint(userID: ada, channel: .sms, pushEndpointID: nil)
                let leased = try recorder.leaseDeliveries(
                    channels: [.sms, .webhook], lease: .seconds(60), limit: 2)
                _ = try recorder.nextDelivery(channels: DeliveryChannel.allCases, after: noon)
                _ = try recorder.nextDelivery(at: endpoint, at: noon)
                var device = endpoint
                device.pushEndpointID = id(9)
                _ = try recorder.nextDelivery(at: device, at: noon)
                for delivery in leased {
                    try recorder.settleDelivery(
                        delivery.record, DeliveryUpdate(.retrying, nextTry: noon, at: noon))
                }
                try recorder.releaseLeases()
                try recorder.supersedeDeliveries(
                    ofAlert: id(1), owner: cleo, recipients: [ada], reason: "ended")
                try recorder.forgetPushEndpoint(id(9), of: ada)
            }
            #expect(plans.careless == [])
            for sql in plans.statements {
                #expect(ShardingRules.violations(in: sql) == [], "\(sql)")
            }
        }
    }

    @Test func alertMessageWaitsForPreviousOne() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben, cleo)
            for number in 1...2 as ClosedRange<UInt8> {
                try await ledger.enter(number, alert: alert)
            }
            try await ledger.enter(3, alert: manualAlert(2, of: ben))
            try await ledger.enter(4, to: ben, alert: alert)
            let first = try await ledger.lease(at: noon)
            #expect(first.numbers == [1, 3, 4])
            let rows = try await due(engine)
            let lease = try await engine.write(about: .none) {
                try $0.leaseDeliveries(rows, lease: .seconds(60))
            }
            #expect(lease.taken.isEmpty && lease.blocked == rows && rows.map(\.id) == [id(2)])
            try await ledger.settle(first[0], as: .accepted)
            #expect(try await ledger.lease(at: noon).numbers == [2])
        }
    }

    /// The message of a removal during an alert is an end that names no alert.
    @Test(arguments: [DeliveryChannel.sms, .webhook])
    func endWithoutAlertWaitsForAlarms(channel: DeliveryChannel) async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben, cleo)
            let url = try #require(URL(string: "https://example.org/hook"))
            let endpoint = PushEndpoint(id: id(9), kind: .webhook, url: url, createdAt: noon)
            try await engine.write(about: .none) {
                try $0.save(endpoint, of: ada, session: id(9))
            }
            let device = channel == .webhook ? endpoint.id : nil
            try await ledger.enter(1, by: channel, device: device, alert: alert)
            for number in 2...3 as ClosedRange<UInt8> {
                try await ledger.enter(number, by: channel, device: device)
            }
            try await ledger.change(2, "purpose = '\(DeliveryPurpose.alertEnd.rawValue)'")
            // Other news doesn't wait.
            let first = try await ledger.lease(at: noon)
            #expect(first.numbers == [1, 3])
            #expect(try await ledger.lease(at: noon).isEmpty)
            try await ledger.settle(first[0], as: .accepted)
            #expect(try await ledger.lease(at: noon).numbers == [2])
            // An alarm doesn't wait for the end of another person's alert.
            try await ledger.enter(
                4, by: channel, device: device, alert: manualAlert(2, of: ben))
            #expect(try await ledger.lease(at: noon).numbers == [4])
        }
    }

    /// A deleted person can't be locked.
    @Test func rowOfDeletedPersonIsSettled() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben)
            try await ledger.enter(1)
            try await ledger.enter(2, to: ben)
            try await engine.write(about: .none) {
                _ = try $0.execute("DELETE FROM users WHERE id = $1", [.id(ada)])
            }
            let rows = try await due(engine)
            let lease = try await engine.write(about: .none) {
                try $0.leaseDeliveries(rows, lease: Ledger.lease)
            }
            #expect(lease.busy == [])
            #expect(lease.taken.numbers == [2])
            #expect(lease.settled.map(\.state) == [.givenUp])
            #expect(try await ledger.state(1) == .givenUp)
        }
    }

    @Test func leasesOfDeadServerAreDueAgain() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, cleo)
            try await engine.connect(ada, watchesOver: cleo)
            try await ledger.enter(1, alert: alert)
            try await ledger.enter(2)
            try await ledger.enter(3, at: noon.adding(.minutes(5)))
            #expect(try await ledger.lease(at: noon).numbers == [1, 2])
            try await engine.write(at: noon.adding(.seconds(1))) { transaction in
                try transaction.supersedeDeliveries(
                    ofAlert: id(1), owner: cleo, reason: "ended")
                try transaction.releaseLeases()
            }
            #expect(try await ledger.state(1) == .superseded)
            #expect(try await reason(1, engine) == "unconfirmed")
            #expect(try await ledger.state(2) == .retrying)
            #expect(try await ledger.state(3) == .queued)
            #expect(try await ledger.nextTry() == noon.adding(.seconds(1)))
        }
    }

    /// The phone may be ringing.
    @Test func callOfDeadServerWaits() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            for number in 1...2 as ClosedRange<UInt8> { try await ledger.enter(number, by: .voice) }
            try await ledger.enter(3)
            #expect(try await ledger.lease(at: noon, channels: [.voice, .sms]).count == 3)
            try await ledger.change(2, "superseded = 1")
            let restart = noon.adding(.seconds(1))
            try await engine.write(at: restart) { try $0.releaseLeases() }
            let waiting = restart.adding(Ladder.callPatience).milliseconds
            #expect(try await ledger.numbers(where: "next_try_at = \(waiting)") == [1])
            #expect(try await ledger.state(1) == .retrying)
            #expect(try await ledger.state(2) == .superseded)
            #expect(try await ledger.numbers(where: "next_try_at IS NULL") == [2])
            #expect(
                try await ledger.numbers(where: "next_try_at = \(restart.milliseconds)") == [3])
        }
    }

    @Test func untriedCallOfAReleasedLeaseIsDueAtOnce() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            try await ledger.enter(1, by: .voice)
            let rows = try await engine.read {
                try $0.dueDeliveries(.voice, priority: 0, at: noon, limit: 1)
            }
            let lease = try await engine.write(about: .none) {
                try $0.leaseDeliveries(rows, lease: Ledger.lease)
            }
            #expect(lease.taken.numbers == [1])
            let release = noon.adding(.seconds(1))
            try await engine.write(at: release) { try $0.release(lease) }
            #expect(
                try await ledger.numbers(where: "next_try_at = \(release.milliseconds)") == [1])
        }
    }

    /// The first message may have left before its server froze. The second was never tried.
    @Test func replacedTryWithoutOutcomeIsUnconfirmed() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, cleo)
            try await engine.connect(ada, watchesOver: cleo)
            try await ledger.enter(1, alert: alert)
            #expect(try await ledger.lease(at: noon).numbers == [1])
            try await engine.write(at: noon.adding(.seconds(1))) { transaction in
                try transaction.supersedeDeliveries(
                    ofAlert: id(1), owner: cleo, reason: "ended")
            }
            #expect(try await reason(1, engine) == "ended")
            try await ledger.enter(2, alert: alert)
            try await ledger.change(2, "superseded = 1, reason = 'ended'")
            let end = noon.adding(Ledger.lease)
            let rows = try await due(engine, at: end)
            let lease = try await engine.write(at: end) {
                try $0.leaseDeliveries(rows, lease: Ledger.lease)
            }
            #expect(lease.taken.isEmpty)
            #expect(lease.settled.map(\.state) == [.superseded, .superseded])
            #expect(lease.settled.map(\.reason) == [.superseded, .unconfirmed])
            #expect(try await reason(1, engine) == "unconfirmed")
            #expect(try await reason(2, engine) == "ended")
        }
    }

    @Test func newerNewsSupersedesOnlyWaitingMessages() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben, cleo)
            try await ledger.enter(1, by: .stream, alert: alert)
            try await ledger.enter(2, by: .webhook, alert: alert)
            try await ledger.enter(3, to: ben, alert: alert)
            try await ledger.enter(4, alert: manualAlert(2, of: cleo))
            try await ledger.enter(5, by: .console, alert: alert)
            let taken = try await ledger.lease(at: noon, channels: [.console])
            try await ledger.settle(taken[0], as: .accepted)
            try await engine.write(about: .none) { transaction in
                try transaction.supersedeDeliveries(
                    ofAlert: id(1), owner: cleo, recipients: [ada], purposes: [.alertEnd],
                    reason: "x")
            }
            #expect(try await ledger.state(2) == .queued)
            try await engine.write(about: .none) { transaction in
                try transaction.supersedeDeliveries(
                    ofAlert: id(1), owner: cleo, recipients: [ada], purposes: [.other, .alertEnd],
                    reason: "removed")
            }
            var states: [DeliveryState?] = []
            for number in 1...5 as ClosedRange<UInt8> {
                states.append(try await ledger.state(number))
            }
            #expect(states == [.queued, .superseded, .queued, .queued, .accepted])
            #expect(try await reason(2, engine) == "removed")
        }
    }

    @Test func failureCountsOnlyForNewestAttempt() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            try await ledger.enter(1)
            let first = try await ledger.lease(at: noon)
            let second = try await ledger.lease(at: noon.adding(Ledger.lease))
            try await ledger.settle(first[0], as: .failed)
            #expect(try await ledger.state(1) == .sending)
            try await ledger.settle(first[0], as: .accepted)
            #expect(try await ledger.state(1) == .accepted)
            try await ledger.settle(second[0], as: .failed)
            #expect(try await ledger.state(1) == .accepted)
        }
    }

    /// A report from Twilio may arrive before the response to the request was stored.
    @Test func reportBeforeResponseCounts() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            for number in 1...2 as ClosedRange<UInt8> { try await ledger.enter(number) }
            let taken = try await ledger.lease(at: noon)
            let report = { @Sendable (number: UInt8, state: DeliveryState, attempt: Int) in
                try await engine.write(about: .none) { transaction in
                    try transaction.reportDelivery(
                        id(number), of: ada, attempt: attempt,
                        ProviderReport(state: state, reason: .twilio(30_003), providerID: "SM1"))
                }
            }
            #expect(try await report(1, .seen, 1))
            try await ledger.settle(taken[0], as: .accepted, providerID: "SM1")
            #expect(try await ledger.state(1) == .seen)
            // A delivery never returns to an earlier state.
            for state in [DeliveryState.accepted, .failed, .seen] {
                #expect(try await report(1, state, 1) == false)
            }
            // A failure counts only for the current attempt.
            #expect(try await report(2, .failed, 0) == false)
            #expect(try await report(2, .failed, 1))
            #expect(try await reason(2, engine) == "twilio-30003")
            #expect(try await report(2, .seen, 1))
            #expect(try await reason(2, engine) == nil)
            #expect(try await report(9, .seen, 1) == false)
        }
    }

    /// The provider took the first attempt, but its answer was lost.
    @Test func failureOfTheAcceptedMessageCounts() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            for number in 1...2 as ClosedRange<UInt8> { try await ledger.enter(number) }
            for delivery in try await ledger.lease(at: noon) {
                try await ledger.settle(delivery, as: .retrying, nextTry: noon)
            }
            let second = try await ledger.lease(at: noon)
            #expect(second.map(\.record.attempts) == [2, 2])
            let report = { @Sendable (number: UInt8, state: DeliveryState, provider: String) in
                try await engine.write(about: .none) { transaction in
                    let report = ProviderReport(
                        state: state, reason: .twilio(30_003), providerID: provider)
                    return try transaction.reportDelivery(
                        id(number), of: ada, attempt: 1, report)
                }
            }
            let first = try #require(second.first { $0.record.id == id(1) })
            let other = try #require(second.first { $0.record.id == id(2) })
            try await ledger.settle(first, as: .retrying, nextTry: noon)
            #expect(try await report(1, .failed, "SM1") == false, "another attempt follows")
            #expect(try await report(1, .accepted, "SM1"))
            #expect(try await ledger.nextTry() == noon.adding(Ledger.lease))
            #expect(try await report(1, .failed, "SM1"))
            #expect(try await ledger.state(1) == .failed)
            #expect(try await reason(1, engine) == "twilio-30003")
            // The provider has the message of the second attempt, too.
            try await ledger.settle(other, as: .accepted, providerID: "SM3")
            #expect(try await report(2, .failed, "SM2") == false)
            #expect(try await ledger.state(2) == .accepted)
        }
    }
}
