import Domain
import Foundation
import Testing

@testable import Persistence

@Suite(
    "Row locks of abandoned writes", .enabled(if: PostgreSQLDatabase.isAvailable),
    .timeLimit(.minutes(5)))
struct ReleasedLockTests {
    let database: PostgreSQLDatabase

    init() async throws {
        database = try PostgreSQLDatabase()
        let engine = try database.engine()
        let number = try number(of: ada)
        try await engine.write(about: .none) { try $0.insertUser(ada, phoneNumber: number) }
        try engine.close()
    }

    private static let backendsOfEngines = """
        SELECT COUNT(*) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%advisory_xact_lock(7)%'
            AND pid <> pg_backend_pid()
        """

    /// The statement waits for an advisory lock until the client gives up. Then its backend must
    /// not keep the lock of Ada's row.
    @Test(
        "A stuck write releases the person's lock",
        arguments: [true, false])
    func stuckStatement(statementEnds: Bool) async throws {
        let holder = try database.connection()
        try holder.execute("SELECT pg_advisory_lock(7)", [])
        let stuck = try database.engine { options in
            options.connections = 1
            options.patience = .zero
            options.limits.statement = .seconds(1)
            options.limits.lock = .seconds(600)
        }
        await #expect(throws: DatabaseError.self) {
            try await stuck.write(about: Subjects([ada])) { transaction in
                _ = try transaction.hasRow("SELECT pg_advisory_xact_lock(7)", [])
            }
        }
        if statementEnds { try holder.execute("SELECT pg_advisory_unlock(7)", []) }
        // The stuck engine has not reconnected, because it had nothing more to write.
        let next = try database.engine { $0.patience = .seconds(60) }
        try await next.write(about: Subjects([ada])) { _ in }
        #expect(try database.count(Self.backendsOfEngines) == 0)
        try next.close()
        try stuck.close()
    }

    /// The server can't see that the connection has ended.
    @Test("A write with a cut network releases the person in time")
    func cutNetwork() async throws {
        let proxy = try Proxy(to: PostgreSQLDatabase.port)
        let stuck = try database.engine(port: proxy.port) { options in
            options.connections = 1
            options.patience = .zero
            options.limits.connect = .seconds(3)
            options.limits.statement = .seconds(2)
            options.limits.idle = .seconds(2)
        }
        await #expect(throws: DatabaseError.self) {
            try await stuck.write(about: Subjects([ada])) { transaction in
                _ = try transaction.count("SELECT 1", [])
                proxy.hangOpenConnections()
                _ = try transaction.count("SELECT 1", [])
            }
        }
        let next = try database.engine { $0.patience = .seconds(60) }
        try await next.write(about: Subjects([ada])) { _ in }
        try next.close()
        proxy.stop()
        try stuck.close()
    }

    @Test("Health reports the first failed connection during retries")
    func unreachable() async throws {
        let proxy = try Proxy(to: PostgreSQLDatabase.port)
        let engine = try database.engine(port: proxy.port) { $0.patience = .seconds(60) }
        try await engine.probe()
        #expect(engine.health.lastFailure == nil)
        proxy.stop()
        let (writing, ends) = (Counter(), Counter())
        let write = Task {
            defer { ends.next() }
            writing.next()
            try await engine.probe()
        }
        try await wait { engine.health.lastFailure != nil }
        #expect(ends.value == 0)
        try await engine.closeOnAnotherThread()
        _ = await write.result
    }
}
