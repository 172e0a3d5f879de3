import Foundation
import Persistence
import Synchronization

/// An empty database for one test: by default, SQLite in memory. `LIFESIGNAL_TEST_DATABASE` can
/// hold the URL of a PostgreSQL server, without a database name. Then the test gets a new database
/// there.
public enum TestDatabase {
    static let server = ProcessInfo.processInfo.environment["LIFESIGNAL_TEST_DATABASE"]

    public static var isPostgreSQL: Bool { server != nil }

    /// - Parameter hasBystanders: whether to copy each row for a bystander, a person unknown to the
    ///   test; see `Bystanders`.
    public static func make(
        hasBystanders: Bool = false, notesCopyChanges: Bool = false,
        now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (CommitReport) -> Void = { _ in }
    ) throws -> any DatabaseEngine {
        guard let server else {
            let databases = hasBystanders ? withBystanders : withoutBystanders
            return SQLiteEngine(
                try databases.next(), now: now, notesCopyChanges: notesCopyChanges, report: report)
        }
        return try PostgreSQLTestDatabase(
            server: server, notesCopyChanges: notesCopyChanges, now: now, report: report)
    }

    private static let withBystanders = EmptyDatabases(hasBystanders: true)
    private static let withoutBystanders = EmptyDatabases(hasBystanders: false)

    /// Allows writes about people who aren't locked, for tests that are only about queries.
    public static func allowUnnamedPeople(in engine: any DatabaseEngine) async throws {
        guard isPostgreSQL else { return }
        try await engine.write(about: .none) {
            _ = try $0.execute("DROP FUNCTION check_named() CASCADE", [])
        }
    }
}

/// A PostgreSQL engine that drops its database when it is released.
final class PostgreSQLTestDatabase: DatabaseEngine {
    /// The name of this process's template database. Other processes may test a different schema on
    /// the same server.
    private static let template =
        "lifesignal_template_\(ProcessInfo.processInfo.processIdentifier)"
    /// The connection that all tests share, because each connection takes a process on the server.
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
        server: String, notesCopyChanges: Bool, now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (CommitReport) -> Void
    ) throws {
        self.server = server
        name = try Self.makeDatabase(on: server)
        var options = Self.options
        options.notesCopyChanges = notesCopyChanges
        engine = try PostgreSQLEngine(
            try PostgreSQLAddress("\(server)/\(name)"), options: options, now: now,
            report: report)
    }

    /// The thread that releases the database may be one of the engine's own, which would wait for
    /// itself. So another thread closes it.
    deinit {
        guard isClosed.withLock({ !$0 }) else { return }
        let (engine, name, server) = (engine, name, server)
        Thread.detachNewThread {
            try? engine.close()
            try? Self.dropDatabase(name, on: server)
        }
    }

    static var options: PostgreSQLEngine.Options {
        var options = PostgreSQLEngine.Options()
        options.connections = 2
        return options
    }

    /// Creates a database from the template. Returns its name.
    static func makeDatabase(on server: String) throws -> String {
        let name = "lifesignal_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        // The default strategy would also write each copied page to the WAL.
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
            // After a failure, the connection may pair answers with the wrong statements, so drop
            // it.
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
