import Domain
import Foundation
import Testing

@testable import Persistence

@Suite(
    "Lost connections", .enabled(if: PostgreSQLDatabase.isAvailable), .timeLimit(.minutes(5)))
struct LostConnectionTests {
    let database: PostgreSQLDatabase
    private static let killItself = "PERFORM pg_terminate_backend(pg_backend_pid());"

    init() throws {
        database = try PostgreSQLDatabase()
        try database.makeNotes()
    }

    /// Writes a note. Returns how often the body ran, and the error, if any.
    private func write(
        to engine: PostgreSQLEngine, isRepeatable: Bool
    ) async -> (runs: Int, error: DatabaseError?) {
        let runs = Counter()
        do {
            try await engine.write(about: Subjects([], isRepeatable: isRepeatable)) {
                runs.next()
                try $0.execute(
                    "INSERT INTO notes (id, text) VALUES (3, '') ON CONFLICT (id) DO NOTHING", [])
            }
            return (runs.value, nil)
        } catch {
            return (runs.value, error as? DatabaseError)
        }
    }

    private var notes: Int {
        get throws { try database.count("SELECT COUNT(*) FROM notes WHERE id = 3") }
    }

    @Test("A connection killed before the commit costs one run", arguments: [true, false])
    func killedBefore(isRepeatable: Bool) async throws {
        try database.onWriteOfNotes("IF nextval('runs') < 2 THEN \(Self.killItself) END IF;")
        let engine = try database.engine()
        let (runs, error) = await write(to: engine, isRepeatable: isRepeatable)
        #expect(runs == 2)
        #expect(error == nil)
        #expect(try notes == 1)
        #expect(engine.health.lastFailure == nil)
        try engine.close()
    }

    @Test("A killed idle connection is replaced")
    func killedIdle() async throws {
        let engine = try database.engine { $0.connections = 1 }
        _ = await write(to: engine, isRepeatable: false)
        _ = try await engine.read { try $0.count("SELECT COUNT(*) FROM notes", []) }
        _ = try await engine.readUrgently { try $0.count("SELECT COUNT(*) FROM notes", []) }
        try database.run(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        #expect(await write(to: engine, isRepeatable: false).error == nil)
        #expect(try await engine.read { try $0.count("SELECT COUNT(*) FROM notes", []) } == 3)
        #expect(try await engine.readUrgently { try $0.count("SELECT 1", []) } == 1)
        try engine.close()
    }

    @Test("Only repeatable writes are retried after a killed commit")
    func killedDuring() async throws {
        try database.onWriteOfNotes(
            atCommit: true, "IF nextval('runs') < 2 THEN \(Self.killItself) END IF;")
        let engine = try database.engine()
        let (runs, error) = await write(to: engine, isRepeatable: false)
        #expect(runs == 1)
        #expect(error == .outcomeUnknown(path: try database.address().description))
        #expect(try notes == 0)
        try database.run("ALTER SEQUENCE runs RESTART")
        let again = await write(to: engine, isRepeatable: true)
        #expect(again.runs == 2)
        #expect(again.error == nil)
        #expect(try notes == 1)
        try engine.close()
    }

    @Test("A commit with a lost response is unknown but stays")
    func lostAnswer() async throws {
        let proxy = try Proxy(to: PostgreSQLDatabase.port)
        let engine = try database.engine(port: proxy.port)
        proxy.set(.cutAfterCommit)
        let (runs, error) = await write(to: engine, isRepeatable: false)
        #expect(runs == 1)
        #expect(error == .outcomeUnknown(path: try database.address(port: proxy.port).description))
        #expect(try notes == 1)
        proxy.set(.cutAfterCommit)
        let again = await write(to: engine, isRepeatable: true)
        #expect(again.runs == 2)
        #expect(again.error == nil)
        #expect(try notes == 1)
        try engine.close()
        proxy.stop()
    }

    @Test("A commit that never reached the server is unknown")
    func lostCommit() async throws {
        let proxy = try Proxy(to: PostgreSQLDatabase.port)
        let engine = try database.engine(port: proxy.port)
        proxy.set(.cutBeforeCommit)
        let (runs, error) = await write(to: engine, isRepeatable: false)
        #expect(runs == 1)
        #expect(error == .outcomeUnknown(path: try database.address(port: proxy.port).description))
        #expect(try notes == 0)
        try engine.close()
        proxy.stop()
    }

    /// PostgreSQL reports a cancelled wait for a replica as a success with a warning.
    @Test("A commit with a warning is unknown and drops its connection")
    func warning() async throws {
        try database.onWriteOfNotes(
            atCommit: true, "IF nextval('runs') < 2 THEN RAISE WARNING 'not replicated'; END IF;")
        let reports = Reports()
        let engine = try database.engine(reports: reports) { $0.connections = 1 }
        let backend = "SELECT pg_backend_pid()"
        let before = try await engine.write(about: .none) { try $0.count(backend, []) }
        let (runs, error) = await write(to: engine, isRepeatable: false)
        #expect(runs == 1)
        #expect(error == .outcomeUnknown(path: try database.address().description))
        #expect(reports.all.map { $0.failure == nil } == [true, false])
        let after = try await engine.write(about: .none) { try $0.count(backend, []) }
        #expect(before != after)
        try engine.close()
    }
}
