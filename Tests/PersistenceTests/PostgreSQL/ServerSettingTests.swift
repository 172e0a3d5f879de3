import Domain
import Foundation
import Testing

@testable import Persistence

/// Settings of a role or a database, and resources that run out, are nobody's row.
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
        "Defaults of the database do not change how transactions run",
        arguments: [
            ("statement_timeout", "'1min'", "statement_timeout", "0"),
            ("idle_session_timeout", "'1min'", "idle_session_timeout", "0"),
            ("lock_timeout", "'1min'", "lock_timeout", "5s"),
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

    @Test("A statement that is cancelled fails the write, and not one row of it")
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

    @Test("A disk that is full is named, and the next write goes on without help")
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

    @Test("A primary that becomes read-only is out of reach until it takes writes again")
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
            #expect("\(failure)".contains("it is a standby that can only be read"))
            #expect(engine.health.lastFailure == failure)
        }
        try administrator.run("ALTER DATABASE \(database.name) RESET default_transaction_read_only")
        try await engine.probe()
        #expect(engine.health.lastFailure == nil)
        try engine.close()
    }
}

/// Words and kinds of PostgreSQL's error codes.
@Suite struct PostgreSQLFailureTests {
    private func error(_ code: String, _ message: String = "words") -> DatabaseError {
        PostgreSQLFailure.translate(
            state: code, message: message, constraint: nil, place: "PostgreSQL h/db")
    }

    @Test(arguments: ["53000", "53200", "53400", "57014", "57P01", "58000", "58030", "08006"])
    func noRowIsToBlame(code: String) {
        #expect(error(code) == .unreachable(path: "PostgreSQL h/db", reason: "words"))
        #expect(error(code).isOfTheDisk)
    }

    @Test(arguments: ["54000", "57000", "22012"])
    func aRowMayBeToBlame(code: String) {
        #expect(error(code) == .failed("words (PostgreSQL \(code))"))
        #expect(!error(code).isOfTheDisk)
    }

    @Test func whatNeedsARightSaysWhich() {
        let text = "\(error("42501", "permission denied for schema public"))"
        #expect(text.contains("permission denied for schema public: "))
        #expect(text.contains("ALTER DATABASE NAME OWNER TO ROLE"))
    }

    @Test func nothingIsSaidOfFiles() {
        for code in ["25006", "XX001"] {
            let text = "\(error(code))"
            #expect(text.contains("PostgreSQL h/db"))
            #expect(!text.contains("lifesignal restore") && !text.contains("folder"), "\(text)")
        }
        #expect("\(DatabaseError.damaged(path: "/d.sqlite"))".contains("lifesignal restore"))
        #expect("\(DatabaseError.readOnly(path: "/d.sqlite"))".contains("its folder"))
    }
}
