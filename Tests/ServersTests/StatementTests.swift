import Cryptography
import Domain
import Foundation
import Persistence
import SafetyNetwork
import Synchronization
import TestDatabase
import Testing

@Suite("Statements", .enabled(if: TestDatabase.isPostgreSQL))
struct StatementTests {
    private static let responders = 200

    @Test("An alert to 200 responders with webhooks and SMS takes a handful of statements")
    func manyResponders() async throws {
        let database = try SharedDatabase()
        let statements = Mutex<[Int]>([])
        let engine = try database.engine(now: { Date() }) { report in
            statements.withLock { $0.append(report.statements) }
        }
        let people = (0...Self.responders).map { _ in UserID(UUID()) }
        try await settle(people, in: engine)
        let url = try #require(URL(string: "https://lifesignal.example"))
        var options = SafetyNetwork.Options(publicURL: url)
        options.isSMSAvailable = true
        let network = SafetyNetwork(
            database: engine, options: options,
            key: try #require(ServerKey(bytes: Data(repeating: 7, count: 32))),
            environment: .init { _, _ in })
        let caller = Caller(userID: people[0], sessionID: SessionID(UUID()))
        let alert = try await network.alerts.raiseAlert(AlertID(UUID()), by: caller)
        #expect(try #require(statements.withLock { $0.last }) <= 21)
        _ = try await network.alerts.endAlert(try #require(AlertID(alert.id)), by: caller)
        #expect(try #require(statements.withLock { $0.last }) <= 28)

        let counts = try await engine.read { connection in
            try ["notifications", "deliveries", "events"].map {
                try connection.count("SELECT COUNT(*) FROM \($0)", [])
            }
        }
        // Start: stream, webhook and SMS. End: no SMS, because no SMS has been sent before. Events:
        // each responder gets one for the alert and one for the message; the owner gets two for the
        // alert.
        #expect(counts == [400, 1_000, 802])
        try engine.close()
    }

    @Test("Twenty missed deadlines take hardly more statements than one")
    func manyDeadlines() async throws {
        let database = try SharedDatabase()
        let statements = Mutex<[Int]>([])
        let hours = Mutex(0)
        let start = Date()
        let engine = try database.engine(
            now: { start.adding(.hours(hours.withLock { $0 })) }
        ) { report in statements.withLock { $0.append(report.statements) } }
        let people = (0...20).map { _ in UserID(UUID()) }
        try await settle(people, in: engine)
        let network = SafetyNetwork(
            database: engine,
            options: .init(publicURL: try #require(URL(string: "https://lifesignal.example"))),
            key: try #require(ServerKey(bytes: Data(repeating: 7, count: 32))),
            environment: .init { _, _ in })
        let missed = Mutex(0)
        let monitor = DeadlineMonitor(network) { work in missed.withLock { $0 += work.missed } }

        /// Returns the number of statements in the pass that handles these people's deadlines.
        func most(of people: some Sequence<UserID> & Sendable) async throws -> Int {
            try await engine.write(about: Subjects(Array(people))) { transaction in
                for person in people {
                    var schedule = try #require(try transaction.schedule(of: person))
                    schedule.lastCheckIn = transaction.now
                    schedule.remindersSent = SentReminders(rawValue: 3)
                    try transaction.save(schedule, of: person)
                }
            }
            statements.withLock { $0 = [] }
            hours.withLock { $0 += 25 }
            _ = try await monitor.handleDueDeadlines()
            return statements.withLock { $0.max() ?? 0 }
        }
        let one = try await most(of: people.prefix(1))
        let twenty = try await most(of: people.dropFirst())
        #expect(missed.withLock { $0 } == 21)
        // Twenty locks, and the repeat of the first person's alert.
        #expect(twenty <= one + 40, "\(one) and \(twenty)")
        try engine.close()
    }

    /// Inserts the people. Makes all others responders of the first one.
    private func settle(_ people: [UserID], in engine: PostgreSQLEngine) async throws {
        let hook = try #require(URL(string: "https://hooks.example"))
        try await engine.write(about: .none) { transaction in
            for (index, person) in people.enumerated() {
                try transaction.insertUser(
                    person, phoneNumber: PhoneNumber("+1555\(1_000_000 + index)"))
                try transaction.save(
                    PushEndpoint(
                        id: PushEndpointID(UUID()), kind: .webhook, url: hook,
                        createdAt: transaction.now), of: person, session: SessionID(UUID()))
                guard index > 0 else { continue }
                try transaction.insertContact(
                    person, of: people[0],
                    roles: ContactRoles(isResponder: true, isDependent: false))
            }
        }
    }
}
