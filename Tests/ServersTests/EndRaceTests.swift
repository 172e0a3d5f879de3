import Cryptography
import Domain
import Foundation
import Persistence
import SafetyNetwork
import TestDatabase
import Testing

/// The owner ends an alert on one server while another server's worker leases an SMS about it.
@Suite("An end beside a worker", .enabled(if: TestDatabase.isPostgreSQL), .timeLimit(.minutes(1)))
struct EndRaceTests {
    private let owner = UserID(UUID())
    private let responder = UserID(UUID())

    /// How many other transactions wait for this one.
    private static let waiting = """
        SELECT COUNT(*) FROM pg_locks
        WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))
        """

    @Test("The end of an alert follows an SMS that is being sent")
    func smsLeasedDuringTheEnd() async throws {
        let database = try SharedDatabase()
        let engines = try (0..<2).map { _ in try database.engine(now: { Date() }) }
        let people = [owner, responder]
        try await engines[0].write(about: .none) { transaction in
            for (index, person) in people.enumerated() {
                try transaction.insertUser(
                    person, phoneNumber: PhoneNumber("+1555\(1_000_000 + index)"))
            }
            try transaction.insertContact(
                people[1], of: people[0],
                roles: ContactRoles(isResponder: true, isDependent: false))
        }
        var options = SafetyNetwork.Options(
            publicURL: try #require(URL(string: "https://lifesignal.example")))
        options.isSMSAvailable = true
        let network = SafetyNetwork(
            database: engines[0], options: options,
            key: try #require(ServerKey(bytes: Data(repeating: 7, count: 32))),
            environment: .init { _, _ in })
        let caller = Caller(userID: owner, sessionID: SessionID(UUID()))
        let alert = AlertID(UUID())
        _ = try await network.alerts.raiseAlert(alert, by: caller)

        let (isHeld, held) = AsyncStream.makeStream(of: Void.self)
        async let lease: [LeasedDelivery] = engines[1].write(about: .none) { transaction in
            defer { held.finish() }
            let due = try transaction.dueDeliveries(
                .sms, priority: 0, at: transaction.now, limit: 10)
            let taken = try transaction.leaseDeliveries(due, lease: .seconds(60)).taken
            held.yield()
            while try transaction.count(Self.waiting, []) == 0 {}
            return taken
        }
        for await _ in isHeld { break }
        _ = try await network.alerts.endAlert(alert, by: caller)
        let taken = try await lease
        #expect(taken.contains { $0.record.userID == responder })

        let ends = try await engines[0].read {
            try $0.count(
                "SELECT COUNT(*) FROM deliveries WHERE purpose = 'alertEnd' AND channel = 'sms'",
                [])
        }
        #expect(ends == 1)
        for engine in engines { try engine.close() }
    }
}
