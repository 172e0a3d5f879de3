import Foundation
import Persistence
import Synchronization

/// An empty database for one test: SQLite in memory, or a PostgreSQL database of its own where
/// `LIFESIGNAL_TEST_DATABASE` is the URL of a server without the name of a database.
public enum TestDatabase {
    static let server = ProcessInfo.processInfo.environment["LIFESIGNAL_TEST_DATABASE"]

    public static var isPostgreSQL: Bool { server != nil }

    public static func make(
        now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (CommitReport) -> Void = { _ in }
    ) throws -> any DatabaseEngine {
        guard let server else { return try SQLiteEngine(inMemoryReporting: report, now: now) }
        return try PostgreSQLTestDatabase(server: server, now: now, report: report)
    }

    /// Lets writes be about anybody, for tests of the queries themselves.
    public static func allowUnnamedPeople(in engine: any DatabaseEngine) async throws {
        guard isPostgreSQL else { return }
        try await engine.write(about: .none) {
            _ = try $0.execute("DROP FUNCTION check_named() CASCADE", [])
        }
    }
}

/// A PostgreSQL engine whose database goes with it.
final class PostgreSQLTestDatabase: DatabaseEngine {
    /// Of this process: others may test on the same server, with another schema.
    private static let template =
        "lifesignal_template_\(ProcessInfo.processInfo.processIdentifier)"
    /// One connection for all tests, since each is a process of the server's.
    private static let administration = Mutex(Administration())

    private struct Administration {
        var connection: PostgreSQLAdministrator?
        var hasTemplate = false
    }

    private let server: String
    private let name: String
    private let engine: PostgreSQLEngine
    private let isClosed = Mutex(false)

    init(
        server: String, now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (CommitReport) -> Void
    ) throws {
        self.server = server
        name = try Self.makeDatabase(on: server)
        engine = try PostgreSQLEngine(
            try PostgreSQLAddress("\(server)/\(name)"), options: Self.options, now: now,
            report: report)
    }

    deinit { try? close() }

    static var options: PostgreSQLEngine.Options {
        var options = PostgreSQLEngine.Options()
        options.connections = 2
        return options
    }

    /// Copies the schema into a new database. Returns its name.
    static func makeDatabase(on server: String) throws -> String {
        let name = "lifesignal_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        // The default writes each page of the copy into the log, too.
        try administrate(
            server, "CREATE DATABASE \(name) TEMPLATE \(template) STRATEGY FILE_COPY")
        return name
    }

    static func dropDatabase(_ name: String, on server: String) throws {
        try administrate(server, "DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }

    private static func administrate(_ server: String, _ statement: String) throws {
        try administration.withLock { administration in
            let connection =
                try administration.connection
                ?? PostgreSQLAdministrator(PostgreSQLAddress("\(server)/postgres"))
            // After a failure the connection may not know which answer is whose.
            administration.connection = nil
            if !administration.hasTemplate {
                try connection.run("DROP DATABASE IF EXISTS \(template)")
                try connection.run("CREATE DATABASE \(template)")
                try fillTemplate(PostgreSQLAddress("\(server)/\(template)"))
                administration.hasTemplate = true
            }
            try connection.run(statement)
            administration.connection = connection
        }
    }

    private static func fillTemplate(_ address: PostgreSQLAddress) throws {
        try PostgreSQLEngine(address, options: options, now: { Date() }).close()
        let inside = try PostgreSQLAdministrator(address)
        for statement in NamedPeople.statements { try inside.run(statement) }
    }

    var now: @Sendable () -> Date { engine.now }
    var health: DatabaseHealth { engine.health }
    var isShared: Bool { true }

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await engine.write(about: subjects, body)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await engine.read(body)
    }

    func readUrgently<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await engine.readUrgently(body)
    }

    func backUp(to path: String) throws { try engine.backUp(to: path) }
    func probe() async throws { try await engine.probe() }

    func close() throws {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        guard isFirst else { return }
        try engine.close()
        try Self.dropDatabase(name, on: server)
    }
}
