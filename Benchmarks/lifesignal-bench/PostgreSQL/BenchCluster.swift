import Domain
import Foundation
import Persistence

/// A PostgreSQL server. Each benchmark gets a database of its own on it.
struct BenchCluster: Sendable {
    /// The server's URL, without a database name.
    let url: String
    let bench: Workbench
    /// The number of old check-ins in the database with a long history.
    let history: Int
    /// The names of the benchmarks to run; nil for all.
    let only: String?

    func wants(_ name: String) -> Bool { only.map { $0.contains(name) } ?? true }

    func makeDatabase(_ name: String) throws {
        let administrator = try PostgreSQLAdministrator(PostgreSQLAddress("\(url)/postgres"))
        try administrator.run("DROP DATABASE IF EXISTS \(name)")
        try administrator.run("CREATE DATABASE \(name)")
        try engine(name).close()
    }

    func engine(
        _ name: String, report: @escaping @Sendable (CommitReport) -> Void = { _ in }
    ) throws -> PostgreSQLEngine {
        try PostgreSQLEngine(
            PostgreSQLAddress("\(url)/\(name)"), options: .init(), now: { Date() },
            report: report)
    }

    func run(_ name: String, _ statements: String...) throws {
        let administrator = try PostgreSQLAdministrator(PostgreSQLAddress("\(url)/\(name)"))
        for statement in statements { try administrator.run(statement) }
    }

    func server(_ name: String) throws -> MeasuredServer {
        try bench.start(
            database: "\(url)/\(name)")
    }

    /// Adds users without sessions, numbered from 1. Their deadlines are days ahead.
    func addUsers(_ count: Int, to name: String) throws {
        let now = Date().milliseconds
        for start in stride(from: 1, through: count, by: Self.chunk) {
            let last = min(start + Self.chunk - 1, count)
            try run(
                name,
                """
                INSERT INTO users (id, phone_number, name, emergency_note, muted, created_at)
                SELECT \(Self.id("n")), '+2' || n, 'Person ' || n, '', '', \(now)
                FROM generate_series(\(start), \(last)) AS n
                """,
                """
                INSERT INTO schedules (user_id, interval_seconds, remind_two_hours,
                    remind_thirty_minutes, last_check_in_at, reminders_sent, missed_told,
                    next_due_at)
                SELECT \(Self.id("n")), 604800, 1, 1, \(now) - n % 86400 * 1000, 0, 0,
                    \(now) - n % 86400 * 1000 + 597600000
                FROM generate_series(\(start), \(last)) AS n
                """)
        }
    }

    func addHistory(_ count: Int, of users: Int, to name: String) throws {
        let now = Date().milliseconds
        for start in stride(from: 1, through: count, by: Self.chunk) {
            try run(
                name,
                """
                INSERT INTO check_ins (user_id, id, occurred_at, received_at, deadline_at)
                SELECT \(Self.id("n % \(users) + 1")), \(Self.id("'c' || n")), \(now) - n * 1000,
                    \(now) - n * 1000, \(now)
                FROM generate_series(\(start)::bigint, \(min(start + Self.chunk - 1, count))) AS n
                """)
        }
    }

    /// The number of rows per statement. It is small enough to stay below the statement time-out.
    private static let chunk = 50_000

    static func id(_ number: String) -> String { "decode(md5((\(number))::text), 'hex')" }
}
