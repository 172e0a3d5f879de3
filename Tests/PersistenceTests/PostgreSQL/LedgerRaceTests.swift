import Domain
import Foundation
import Synchronization
import Testing

@testable import Persistence

/// Two servers change the same rows of `deliveries` at the same time.
@Suite("Changes to the ledger side by side", .enabled(if: PostgreSQLDatabase.isAvailable))
struct LedgerRaceTests {
    private let alert = manualAlert(1, of: cleo)
    private let database: PostgreSQLDatabase
    private let engines: [PostgreSQLEngine]

    init() throws {
        let database = try PostgreSQLDatabase()
        self.database = database
        engines = try (0..<3).map { _ in try database.engine() }
    }

    /// Events that settle Ada's delivery for good.
    enum End: CaseIterable, Sendable {
        case withdrawal, acknowledgement, deletion
    }

    @Test("A row settled during its lease is not sent", arguments: End.allCases)
    func settledMeanwhile(end: End) async throws {
        let ledger = try await Ledger(engines[0], users: ada, cleo)
        try await engines[0].connect(ada, watchesOver: cleo)
        for number in 1...2 as ClosedRange<UInt8> { try await ledger.enter(number, alert: alert) }
        try await ledger.enter(3)
        let rows = try await engines[0].read {
            try $0.dueDeliveries(.sms, priority: 0, at: noon, limit: 10)
        }
        let change = { @Sendable [alert] (transaction: Transaction) in
            switch end {
            case .withdrawal:
                try transaction.supersedeDeliveries(ofAlert: alert.id, owner: cleo, reason: "ended")
            case .acknowledgement:
                try transaction.markAcknowledged(alert: alert.id, owner: cleo, by: ada)
            case .deletion:
                try transaction.execute(
                    "DELETE FROM deliveries WHERE user_id = $1 AND alert_id = $2",
                    [.id(ada), .id(alert.id)])
            }
        }
        let lease = try await whileHeld(by: change) { engine in
            try await engine.write(about: .none) {
                try $0.leaseDeliveries(rows, lease: Ledger.lease)
            }
        }
        #expect(lease.taken.numbers == [3])
        #expect(lease.settled == [])
        let expected: DeliveryState? =
            switch end {
            case .withdrawal: .superseded
            case .acknowledgement: .acknowledged
            case .deletion: nil
            }
        for number in 1...2 as ClosedRange<UInt8> {
            #expect(try await ledger.state(number) == expected)
        }
        #expect(try await ledger.state(3) == .sending)
        try close()
    }

    @Test("An SMS leased while its alert ends counts as sent")
    func leasedDuringTheEnd() async throws {
        let ledger = try await Ledger(engines[0], users: ada, cleo)
        try await engines[0].connect(ada, watchesOver: cleo)
        try await ledger.enter(1, alert: alert)
        let rows = try await engines[0].read {
            try $0.dueDeliveries(.sms, priority: 0, at: noon, limit: 10)
        }
        let reached = try await whileHeld(
            by: { _ = try $0.leaseDeliveries(rows, lease: Ledger.lease) }
        ) { [alert] engine in
            try await engine.write(about: .none) { transaction in
                var reach = try transaction.reach(of: alert)
                let before = reach[ada]?.bySMS
                try transaction.supersede(alert)
                try transaction.addAttempts(about: alert, to: &reach)
                return [before, reach[ada]?.bySMS]
            }
        }
        #expect(reached == [false, true])
        try close()
    }

    /// Adds Cleo's alert, an SMS about it to Ada that was accepted, and a call that waits.
    private func enterCall() async throws {
        let ledger = try await Ledger(engines[0], users: ada, cleo)
        try await engines[0].connect(ada, watchesOver: cleo)
        var waiting = alert
        waiting.nextCallAt = noon.adding(.minutes(5))
        try await engines[0].write(about: .none) { [waiting] in try $0.insert([waiting]) }
        try await ledger.add(1, .alertBegin, about: alert, with: "state = 'accepted'")
        try await ledger.add(2, .alertBegin, by: .voice, about: alert, with: "next_try_at = NULL")
    }

    private func nextCall() async throws -> Date? {
        try await engines[0].read { try $0.alert(id(1), of: cleo)?.nextCallAt }
    }

    @Test("A failed SMS brings the call forward during a change of the alert")
    func failedTextDuringAChange() async throws {
        try await enterCall()
        let report = ProviderReport(state: .failed, reason: .twilio(30_003))
        let isNew = try await whileHeld(by: { _ = try $0.tryLock([cleo]) }) { engine in
            try await engine.write(about: .report(report, about: id(1), of: ada)) {
                try $0.reportDelivery(id(1), of: ada, attempt: nil, report)
            }
        }
        #expect(isNew)
        #expect(try await nextCall() == noon)
        try close()
    }

    @Test("A call is brought forward once the owner is free", arguments: [true, false])
    func missedCall(isLocked: Bool) async throws {
        try await enterCall()
        let other = try database.connection()
        try other.execute("BEGIN", [])
        if isLocked {
            try other.execute("SELECT 1 FROM users WHERE id = $1 FOR UPDATE", [.id(cleo)])
        }
        let missed = try await engines[1].write(about: .none) { transaction in
            try transaction.advanceSteps(of: [ada])
            return transaction.missedCalls
        }
        let expected: Set<AlertKey> = isLocked ? [AlertKey(owner: cleo, id: id(1))] : []
        #expect(missed == expected)
        #expect(try await nextCall() == (isLocked ? noon.adding(.minutes(5)) : noon))
        try other.execute("ROLLBACK", [])
        // The engine's own write follows.
        while try await nextCall() != noon { await Task.yield() }
        try close()
    }

    @Test("The write for a missed call isn't repeated if the owner is gone")
    func missedCallOfADeletedOwner() async throws {
        let reports = Reports()
        let engine = try database.engine(reports: reports)
        let missed = try await engine.write(about: .none) { transaction in
            try transaction.hurryCalls(about: AlertKey(owner: cleo, id: id(1)))
            return transaction.missedCalls
        }
        #expect(missed == [AlertKey(owner: cleo, id: id(1))])
        while reports.all.count < 2 { await Task.yield() }
        // A third write would be made during the probes.
        for _ in 0..<20 { try await engine.probe() }
        #expect(reports.all.count == 22)
        try engine.close()
        try close()
    }

    @Test("One person's streams on two servers don't deadlock")
    func streams() async throws {
        let ledger = try await Ledger(engines[0])
        for number in 1...3 as ClosedRange<UInt8> { try await ledger.enter(number, by: .stream) }
        let runs = Counter()
        let mark = { @Sendable (numbers: [UInt8], engine: PostgreSQLEngine) in
            try await engine.write(about: .none) { transaction in
                runs.next()
                try transaction.markStreamed(numbers.map { (user: ada, notification: id($0)) })
            }
        }
        // Both transactions first reach the third row, which is locked, and only then their last
        // row.
        try await whileHeld(
            by: { try $0.markStreamed([(user: ada, notification: id(3))]) }, waiting: 2
        ) { engine in
            async let one: Void = mark([1, 3, 2], engine)
            async let other: Void = mark([2, 3, 1], engines[2])
            _ = try await (one, other)
        }
        #expect(runs.value == 2)
        for number in 1...3 as ClosedRange<UInt8> {
            #expect(try await ledger.state(number) == .accepted)
        }
        try close()
    }

    @Test("Only one server tells an endpoint's owner of failures", arguments: [0, 7])
    func failingEndpoint(daysOfFailures: Int) async throws {
        let url = try #require(URL(string: "https://example.org/hook"))
        try await engines[0].moveIn(ada)
        let endpoint = PushEndpoint(id: id(1), kind: .webhook, url: url, createdAt: noon)
        let note = { @Sendable (transaction: Transaction, time: Date) in
            var failure = EndpointFailure(.http(404), url: url, attempts: 9, at: time)
            failure.isGone = true
            return try transaction.noteEndpointFailure(endpoint.id, of: ada, failure)
        }
        let now = noon.adding(.days(daysOfFailures))
        try await engines[0].write(about: .none) { transaction in
            try transaction.save(endpoint, of: ada, session: id(9))
            if daysOfFailures > 0 { _ = try note(transaction, noon) }
        }
        let first = Mutex<EndpointNews?>(nil)
        let second = try await whileHeld(
            by: { transaction in
                let news = try note(transaction, now)
                first.withLock { $0 = news }
            }
        ) { engine in try await engine.write(about: .none) { try note($0, now) } }
        #expect(first.withLock { $0 } == (daysOfFailures > 0 ? .givenUp : .gone))
        #expect(second == nil)
        try close()
    }

    /// Makes a change on the first engine. Commits it once `work` on the second engine waits for
    /// the changed rows.
    private func whileHeld<Value: Sendable>(
        by change: @escaping @Sendable (Transaction) throws -> Void, waiting: Int = 1,
        _ work: @escaping @Sendable (PostgreSQLEngine) async throws -> Value
    ) async throws -> Value {
        let (isHeld, held) = AsyncStream.makeStream(of: Void.self)
        async let holding: Void = engines[0].write(about: .none) { transaction in
            try change(transaction)
            held.yield()
            try transaction.waitUntilOthersWait(waiting)
        }
        for await _ in isHeld { break }
        let value = try await work(engines[1])
        try await holding
        return value
    }

    private func close() throws { for engine in engines { try engine.close() } }
}

extension Transaction {
    /// Waits until this many other transactions wait for this one, directly or indirectly.
    fileprivate func waitUntilOthersWait(_ number: Int) throws {
        let waiting = """
            WITH RECURSIVE behind (pid) AS (
                SELECT pg_backend_pid()
                UNION SELECT pg_locks.pid FROM pg_locks, behind
                WHERE NOT granted AND behind.pid = ANY(pg_blocking_pids(pg_locks.pid)))
            SELECT COUNT(*) - 1 FROM behind
            """
        while try count(waiting, []) < number {}
    }
}
