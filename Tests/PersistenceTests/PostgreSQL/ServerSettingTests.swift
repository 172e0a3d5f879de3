import Domain
import Foundation
import Testing

@testable import Persistence

/// Failures that no row caused: unsuitable settings of a role or database, and exhausted resources.
@Suite(
    "Settings of the server", .enabled(if: PostgreSQLDatabase.isAvailable),
    .timeLimit(.minutes(5)))
struct ServerSettingTests {
    let database: PostgreSQLDatabase

    init() throws {
        database = try PostgreSQLDatabase()
        try database.makeNotes()
    }

    @Test(
        "Database defaults don't change how transactions run",
        arguments: [
            ("statement_timeout", "'1min'", "statement_timeout", "0"),
            ("idle_session_timeout", "'1min'", "idle_session_timeout", "0"),
            ("lock_timeout", "'1min'", "lock_timeout", "5s"),
            ("tcp_keepalives_idle", "600", "tcp_keepalives_idle", "5"),
            ("tcp_user_timeout", "600000", "tcp_user_timeout", "10000"),
            ("synchronous_commit", "off", "synchronous_commit", "on"),
            (
                "default_transaction_isolation", "'repeatable read'", "transaction_isolation",
                "read committed"
            ),
        ])
    func defaults(setting: String, value: String, shown: String, expected: String) async throws {
        try PostgreSQLDatabase.administrator().run(
            "ALTER DATABASE \(database.name) SET \(setting) TO \(value)")
        let engine = try database.engine()
        let found = try await engine.write(about: .none) { transaction -> String? in
            try transaction.value("SELECT current_setting($1)", [.text(shown)])
        }
        #expect(found == expected)
        try engine.close()
    }

    @Test("Connections for checks and migrations have timeouts")
    func otherConnections() throws {
        try PostgreSQLDatabase.administrator().run(
            "ALTER DATABASE \(database.name) SET idle_in_transaction_session_timeout TO '1h'")
        let check = try PostgreSQLConnection(database.address(), limits: .init())
        let migration = try PostgreSQLConnection(
            database.address(), limits: PostgreSQLSchema.limits)
        let idle = "SELECT current_setting('idle_in_transaction_session_timeout')"
        #expect(try check.value(idle, []) == "10s")
        #expect(try migration.value(idle, []) == "1min")
        // A migration waits only briefly for a table lock, because all writes to the table queue
        // behind it.
        for statement in Dialect.postgreSQL.begin { try migration.execute(statement, []) }
        #expect(try migration.value("SELECT current_setting('lock_timeout')", []) == "5s")
        migration.rollBack()
    }

    @Test("An extension's views aren't another program's tables")
    func extensions() throws {
        try PostgreSQLDatabase.administrator().run(
            "CREATE DATABASE \(database.name)_views STRATEGY FILE_COPY")
        defer {
            try? PostgreSQLDatabase.administrator().run(
                "DROP DATABASE \(database.name)_views WITH (FORCE)")
        }
        let address = try PostgreSQLDatabase.address(of: "\(database.name)_views")
        let administrator = try PostgreSQLAdministrator(address)
        try administrator.run("CREATE EXTENSION pg_stat_statements")
        let open = {
            try PostgreSQLEngine(address, options: PostgreSQLDatabase.options(), now: { noon })
                .close()
        }
        try administrator.run("CREATE VIEW others AS SELECT 1 AS one")
        #expect(throws: DatabaseError.self) { try open() }
        try administrator.run("DROP VIEW others")
        try open()
    }

    @Test("A cancelled statement fails the whole write")
    func cancelled() async throws {
        try database.onWriteOfNotes("RAISE EXCEPTION 'cancelled' USING ERRCODE = '57014';")
        let engine = try database.engine { $0.patience = .zero }
        let place = try database.address().description
        await #expect(throws: DatabaseError.unreachable(path: place, reason: "cancelled")) {
            try await engine.write(about: .none) { transaction in
                _ = try transaction.isolated { try transaction.note(3) }
            }
        }
        try engine.close()
    }

    @Test("A full disk is reported, and later writes recover")
    func diskFull() async throws {
        try database.onWriteOfNotes(
            """
            IF nextval('runs') < 2 THEN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END IF;
            """)
        let engine = try database.engine { $0.patience = .zero }
        let full = DatabaseError.diskFull(path: try database.address().description)
        await #expect(throws: full) { try await engine.write(about: .none) { try $0.note(3) } }
        #expect(engine.health.lastFailure == full)
        try await engine.write(about: .none) { try $0.note(3) }
        #expect(engine.health.lastFailure == nil)
        try engine.close()
    }

    /// An event trigger simulates the full disk.
    @Test("A disk counts as full until a probe finds room, though small writes succeed")
    func shortOfSpace() async throws {
        try database.onWriteOfNotes(
            """
            IF nextval('runs') < 2 THEN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END IF;
            """)
        try database.run(
            """
            CREATE FUNCTION fill() RETURNS event_trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END $$
            """,
            """
            CREATE EVENT TRIGGER full_disk ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS')
            EXECUTE FUNCTION fill()
            """)
        let engine = try database.engine { $0.patience = .zero }
        try await engine.probe()
        #expect(!engine.health.isShortOfSpace)
        let full = DatabaseError.diskFull(path: try database.address().description)
        await #expect(throws: full) { try await engine.write(about: .none) { try $0.note(3) } }
        try await engine.write(about: .none) { try $0.note(3) }
        try await engine.probe()
        #expect(engine.health.isShortOfSpace && engine.health.lastFailure == nil)
        try database.run("DROP EVENT TRIGGER full_disk")
        try await engine.probe()
        #expect(!engine.health.isShortOfSpace && engine.health.lastFailure == nil)
        #expect(
            try database.count("SELECT COUNT(*) FROM pg_class WHERE relname = 'space_probe'") == 0)
        try engine.close()
    }

    @Test("A read-only primary is unreachable until it accepts writes")
    func readOnly() async throws {
        let engine = try database.engine { $0.patience = .zero }
        try await engine.probe()
        let administrator = try PostgreSQLDatabase.administrator()
        try administrator.run(
            "ALTER DATABASE \(database.name) SET default_transaction_read_only TO on")
        try administrator.run(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = '\(database.name)'
            """)
        do {
            try await engine.probe()
            Issue.record("It was written.")
        } catch {
            let failure = try #require(error as? DatabaseError)
            #expect(failure.isOfTheConnection)
            #expect("\(failure)".contains("set default_transaction_read_only to off"))
            #expect(engine.health.lastFailure == failure)
        }
        try administrator.run("ALTER DATABASE \(database.name) RESET default_transaction_read_only")
        try await engine.probe()
        #expect(engine.health.lastFailure == nil)
        try engine.close()
    }
}

@Suite struct PostgreSQLFailureTests {
    private func error(_ code: String, _ message: String = "words") -> DatabaseError {
        PostgreSQLFailure.translate(
            state: code, message: message, constraint: nil, place: "PostgreSQL h/db")
    }

    @Test(arguments: [
        "25P03", "25P04", "53000", "53200", "53400", "57014", "57P01", "58000", "58030", "08006",
    ])
    func machineErrorsBlameNoRow(code: String) {
        #expect(error(code) == .unreachable(path: "PostgreSQL h/db", reason: "words"))
        #expect(error(code).isOfTheDisk)
    }

    @Test(arguments: ["54000", "57000", "22012"])
    func statementErrorsMayBlameRow(code: String) {
        #expect(error(code) == .failed("words (PostgreSQL \(code))"))
        #expect(!error(code).isOfTheDisk)
    }

    @Test func missingPermissionIsNamed() {
        let text = "\(error("42501", "permission denied for schema public"))"
        #expect(text.contains("permission denied for schema public: "))
        #expect(text.contains("ALTER DATABASE NAME OWNER TO ROLE"))
    }

    @Test func postgreSQLErrorsDoNotMentionFiles() {
        for code in ["25006", "XX001"] {
            let text = "\(error(code))"
            #expect(text.contains("PostgreSQL h/db"))
            #expect(!text.contains("lifesignal restore") && !text.contains("folder"), "\(text)")
        }
        #expect("\(DatabaseError.damaged(path: "/d.sqlite"))".contains("lifesignal restore"))
        #expect("\(DatabaseError.readOnly(path: "/d.sqlite"))".contains("its folder"))
    }
}
