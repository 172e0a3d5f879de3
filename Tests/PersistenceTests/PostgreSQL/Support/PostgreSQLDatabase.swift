import Foundation
import Synchronization
import Testing

@testable import Persistence

/// A database for one test, on the server that `LIFESIGNAL_TEST_DATABASE` names.
final class PostgreSQLDatabase: Sendable {
    private static let server = ProcessInfo.processInfo.environment["LIFESIGNAL_TEST_DATABASE"]
        .flatMap { URLComponents(string: $0) }

    static var isAvailable: Bool { server != nil }
    static var port: Int { server?.port ?? 5432 }

    let name = "engine_" + UUID().uuidString.lowercased().replacing("-", with: "")

    init() throws { try Self.administrator().run("CREATE DATABASE \(name) STRATEGY FILE_COPY") }

    deinit { try? Self.administrator().run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)") }

    static func administrator() throws -> PostgreSQLAdministrator {
        try PostgreSQLAdministrator(address(of: "postgres"))
    }

    static func address(
        of name: String, user: String? = nil, password: String? = nil, port: Int? = nil,
        host: String? = nil
    ) throws -> PostgreSQLAddress {
        var url = try #require(server)
        url.path = "/" + name
        if let user { url.user = user }
        if let password { url.password = password }
        if let port { url.port = port }
        if let host { url.host = host }
        return try PostgreSQLAddress(#require(url.string))
    }

    func address(
        user: String? = nil, password: String? = nil, port: Int? = nil, host: String? = nil
    ) throws -> PostgreSQLAddress {
        try Self.address(of: name, user: user, password: password, port: port, host: host)
    }

    /// - Parameter port: the port of a proxy; nil for PostgreSQL's own port.
    func engine(
        user: String? = nil, port: Int? = nil, reports: Reports = Reports(),
        _ change: (inout PostgreSQLEngine.Options) -> Void = { _ in }
    ) throws -> PostgreSQLEngine {
        try PostgreSQLEngine(
            address(user: user, port: port), options: Self.options(change), now: { noon },
            report: reports.take)
    }

    /// The limit for an open transaction. It is long, because other tests may slow down this one.
    private static let busyMachine: Duration = .seconds(300)

    static func options(
        _ change: (inout PostgreSQLEngine.Options) -> Void = { _ in }
    ) -> PostgreSQLEngine.Options {
        var options = PostgreSQLEngine.Options(random: { 0 })
        options.connections = 2
        options.limits.idle = busyMachine
        change(&options)
        return options
    }

    /// Opens a connection in addition to the engine's.
    func connection() throws -> PostgreSQLConnection {
        try PostgreSQLConnection(address(), limits: .init(idle: Self.busyMachine))
    }

    func run(_ statements: String...) throws {
        let connection = try connection()
        for statement in statements { try connection.execute(statement, []) }
    }

    func count(_ sql: String) throws -> Int { try connection().count(sql, []) }

    /// Creates a table that isn't part of the schema, and a sequence that counts runs. Unlike a
    /// row, a sequence isn't reset by a rollback.
    func makeNotes() throws {
        try engine().close()
        try run(
            "CREATE TABLE notes (id BIGINT NOT NULL PRIMARY KEY, text TEXT NOT NULL)",
            "CREATE SEQUENCE runs", "INSERT INTO notes (id, text) VALUES (1, ''), (2, '')")
    }

    /// Adds a trigger on writes of notes.
    /// - Parameter atCommit: true to run it at the commit instead of at the write.
    func onWriteOfNotes(atCommit: Bool = false, _ body: String) throws {
        let kind = atCommit ? "CONSTRAINT TRIGGER" : "TRIGGER"
        let when = atCommit ? "DEFERRABLE INITIALLY DEFERRED" : ""
        try run(
            """
            CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN \(body) RETURN NULL; END $$
            """,
            """
            CREATE \(kind) act AFTER INSERT OR UPDATE ON notes \(when)
            FOR EACH ROW EXECUTE FUNCTION act()
            """)
    }
}

final class Counter: Sendable {
    private let state = Mutex(0)

    var value: Int { state.withLock { $0 } }

    @discardableResult
    func next() -> Int {
        state.withLock { count in
            count += 1
            return count
        }
    }
}

extension Transaction {
    func note(_ id: Int, _ text: String = "") throws {
        try execute(
            """
            INSERT INTO notes (id, text) VALUES ($1, $2)
            ON CONFLICT (id) DO UPDATE SET text = notes.text || $2
            """, [.int(id), .text(text)])
    }
}
