import Domain
import Foundation
import Testing

@testable import Persistence

@Suite(
    "Refusals of PostgreSQL", .enabled(if: PostgreSQLDatabase.isAvailable), .timeLimit(.minutes(5)))
struct RefusalTests {
    let database: PostgreSQLDatabase

    init() throws { database = try PostgreSQLDatabase() }

    /// Returns the error of opening an engine. Checks that it has one line and no password.
    private func refusal(
        by port: Int? = nil, user: String? = nil, host: String? = nil
    ) throws -> String {
        let address = try database.address(
            user: user, password: "open-sesame", port: port, host: host)
        do {
            let options = PostgreSQLDatabase.options { $0.limits.connect = .seconds(2) }
            try PostgreSQLEngine(address, options: options, now: { noon }).close()
            Issue.record("It was opened.")
            return ""
        } catch {
            let text = "\(error)"
            #expect(!text.contains("open-sesame"))
            #expect(!text.contains("\n"))
            #expect(text.contains(database.name))
            return text
        }
    }

    private struct Answer: Sendable, CustomTestStringConvertible {
        var code: String
        var message: String
        var words: String

        var testDescription: String { message }
    }

    @Test(
        "A refused connection says what to do",
        arguments: [
            Answer(
                code: "28P01", message: "password authentication failed for user \"x\"",
                words: "set PGPASSWORD, or put it into a pass file (PGPASSFILE)"),
            Answer(
                code: "53300", message: "sorry, too many clients already",
                words: "raise max_connections, or lower --database-connections"),
            Answer(
                code: "53300",
                message: "remaining connection slots are reserved for superusers",
                words: "raise max_connections, or lower --database-connections"),
            Answer(
                code: "3D000", message: "database \"x\" does not exist",
                words: "there is no such database: createdb"),
            Answer(
                code: "28000", message: "role \"x\" does not exist",
                words: "there is no such role: createuser --pwprompt"),
            Answer(
                code: "28000",
                message: "no pg_hba.conf entry for host \"h\", user \"u\", database \"d\"",
                words: "pg_hba.conf"),
            Answer(
                code: "57P03", message: "the database system is starting up", words: "starting up"),
            Answer(
                code: "57P03", message: "the database system is in hot standby",
                words: "it is a standby that can only be read: name the primary"),
        ])
    private func refused(_ answer: Answer) throws {
        let server = try RefusingServer(code: answer.code, message: answer.message)
        defer { server.stop() }
        #expect(try refusal(by: server.port).contains(answer.words))
    }

    @Test("A server without TLS is rejected if the URL requires TLS")
    func noTLS() throws {
        let server = try RefusingServer(code: "57P03", message: "starting up")
        defer { server.stop() }
        let address = try PostgreSQLAddress(
            "postgres://u@127.0.0.1:\(server.port)/n?sslmode=require")
        #expect {
            try PostgreSQLConnection(address, limits: .init())
        } throws: {
            "\($0)".contains("it does not support TLS: set ssl = on")
        }
    }

    @Test("A closed port and an unknown host are unreachable")
    func unreachable() throws {
        let (socket, port) = try TCPSocket.open(isListening: false)
        defer { close(socket) }
        #expect(try refusal(by: port).contains("can't be reached"))
        #expect(try refusal(host: "host.invalid").contains("can't be reached"))
    }

    @Test("A silent host times out")
    func silent() throws {
        let (socket, port) = try TCPSocket.open()
        defer { close(socket) }
        #expect(try refusal(by: port).contains("can't be reached"))
    }

    @Test("A read-only database is rejected with both causes")
    func readOnly() throws {
        try PostgreSQLDatabase.administrator().run(
            "ALTER DATABASE \(database.name) SET default_transaction_read_only TO on")
        #expect(
            try refusal().contains(
                "name the primary, or all hosts separated by commas. If it is the primary, set "
                    + "default_transaction_read_only to off"))
    }

    @Test("Another program's database is left unchanged")
    func otherProgram() throws {
        try database.run("CREATE TABLE invoices (id BIGINT PRIMARY KEY)")
        #expect(try refusal().contains("it holds tables of another program"))
        #expect(
            try database.count(
                """
                SELECT COUNT(*) FROM information_schema.tables
                WHERE table_schema = current_schema()
                """) == 1)
    }

    @Test("A newer schema is left unchanged")
    func newerSchema() throws {
        try database.engine().close()
        try database.run("INSERT INTO schema_versions (version) VALUES (1000)")
        let address = try database.address()
        #expect(throws: DatabaseError.newerVersion(found: 1000, known: Migrator.newest)) {
            try PostgreSQLEngine(address, options: PostgreSQLDatabase.options(), now: { noon })
        }
    }

    @Test("An opener that may not migrate makes no tables and leaves an older schema unchanged")
    func mayNotMigrate() throws {
        let path = try database.address().description
        let count = """
            SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = current_schema()
            """
        #expect(throws: DatabaseError.noTables(path: path)) {
            try database.engine { $0.mayMigrate = false }
        }
        #expect(try database.count(count) == 0)
        try database.engine().close()
        try database.engine { $0.mayMigrate = false }.close()
        try database.run("DELETE FROM schema_versions WHERE version = \(Migrator.newest)")
        let found = Migrator.newest - 1
        #expect(throws: DatabaseError.olderVersion(found: found, known: Migrator.newest)) {
            try database.engine { $0.mayMigrate = false }
        }
        #expect(try database.count("SELECT MAX(version) FROM schema_versions") == found)
    }

    @Test(
        "An invalid URL is not repeated in the error",
        arguments: [
            "postgres://u:open-sesame@h/n?colour=red", "postgres://u:open%sesame@h/n", "file.db",
        ])
    func wrongURL(url: String) {
        #expect { try PostgreSQLAddress(url) } throws: { error in
            let text = "\(error)"
            return text.contains("the URL is not a PostgreSQL URL") && !text.contains("sesame")
        }
    }

    @Test("An up-to-date database needs no permission to create tables")
    func noRightToCreate() throws {
        try database.engine().close()
        let role = "role_\(database.name)"
        try database.run(
            "CREATE ROLE \(role) LOGIN",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)")
        defer { try? database.run("DROP OWNED BY \(role)", "DROP ROLE \(role)") }
        try database.engine(user: role).close()
    }

    /// Since PostgreSQL 15, only the owner may create tables in the schema `public`.
    @Test("A role without permission to create tables is told")
    func noTables() throws {
        let role = "role_\(database.name)"
        try database.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC", "CREATE ROLE \(role) LOGIN")
        defer { try? database.run("DROP OWNED BY \(role)", "DROP ROLE \(role)") }
        let text = try refusal(user: role)
        #expect(text.contains("permission denied for schema public"))
        #expect(text.contains("ALTER DATABASE NAME OWNER TO ROLE"))
    }

    @Test(
        "Any password in the URL is detected",
        arguments: [
            ("postgres://u:open-sesame@h/n", true), ("postgres://u@h/n?password=sesame", true),
            ("postgres://u@h/n?sslpassword=sesame", true), ("postgres://u@h/n?password=", false),
            ("postgres://u@h/n?passfile=/f&sslkey=/k", false),
        ])
    func password(url: String, isThere: Bool) throws {
        let address = try PostgreSQLAddress(url)
        #expect(address.hasPassword == isThere)
        #expect(!"\(address)".contains("sesame"))
    }

    @Test("A server waits for another server's migration")
    func migration() async throws {
        try database.engine().close()
        try database.run("DELETE FROM schema_versions WHERE version = \(Migrator.newest)")
        let other = try database.connection()
        for statement in Dialect.postgreSQL.begin { try other.execute(statement, []) }
        async let start: Void = onAnotherThread { [database] in
            try database.engine { $0.limits.lock = .milliseconds(1) }.close()
        }
        try await wait {
            try database.count(
                """
                SELECT COUNT(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """) > 0
        }
        try other.execute(
            "INSERT INTO schema_versions (version, oldest_program) VALUES ($1, $1)",
            [.int(Migrator.newest)])
        try other.execute("COMMIT", [])
        try await start
    }

    @Test("Servers that start together prepare one schema")
    func together() async throws {
        try await withThrowingTaskGroup(of: Void.self) { [database] group in
            for _ in 0..<4 {
                group.addTask { try await onAnotherThread { try database.engine().close() } }
            }
            try await group.waitForAll()
        }
        #expect(
            try database.count("SELECT COUNT(*) FROM schema_versions")
                == Migrator.migrations.count)
    }
}
