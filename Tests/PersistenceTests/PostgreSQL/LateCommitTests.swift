import Domain
import Foundation
import Testing

@testable import Persistence

/// A trigger that waits for a lock delays the commits, as a missing replica would.
@Suite(
    "Commits that take too long", .enabled(if: PostgreSQLDatabase.isAvailable),
    .timeLimit(.minutes(5)))
struct LateCommitTests {
    let database: PostgreSQLDatabase

    init() throws {
        database = try PostgreSQLDatabase()
        try database.makeNotes()
        try database.onWriteOfNotes(atCommit: true, "PERFORM pg_advisory_xact_lock(7);")
    }

    private func note(_ id: Int, in engine: PostgreSQLEngine) async -> DatabaseError? {
        do {
            try await engine.write(about: Subjects([])) { try $0.note(id) }
            return nil
        } catch {
            return error as? DatabaseError
        }
    }

    @Test("Late commits keep their connections while reads continue")
    func stalled() async throws {
        let engine = try database.engine { options in
            options.connections = 2
            options.patience = .zero
            options.limits.lock = .seconds(600)
            options.limits.commit = .milliseconds(300)
            options.limits.waiting = .seconds(1)
        }
        let other = try database.connection()
        try other.execute("SELECT pg_advisory_lock(7)", [])
        _ = try await engine.read { try $0.count("SELECT 1", []) }
        // Under load, the first read may run on either of the two connections.
        let before = try other.query(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database()", []
        ) { (row) throws -> Int64 in try row["pid"] }
        var errors: [DatabaseError?] = []
        for id in 3..<7 { errors.append(await note(id, in: engine)) }
        let place = try database.address().description
        #expect(errors.prefix(2) == [.outcomeUnknown(path: place), .outcomeUnknown(path: place)])
        for error in errors.dropFirst(2) {
            #expect(error?.description.contains("commits do not finish there") == true)
        }
        let stuck = try database.count(
            """
            SELECT COUNT(*) FROM pg_stat_activity
            WHERE datname = current_database() AND state = 'active' AND query = 'COMMIT'
            """)
        #expect(stuck == 2)
        let reader = try await engine.read { try $0.count("SELECT pg_backend_pid()", []) }
        #expect(before.contains(Int64(reader)))
        try other.execute("SELECT pg_advisory_unlock(7)", [])
        // Retries, because a late commit may not have ended yet.
        try await wait { await note(10, in: engine) == nil }
        #expect(try database.count("SELECT COUNT(*) FROM notes WHERE id IN (3, 4)") == 2)
        #expect(engine.health.lastFailure == nil)
        try engine.close()
    }
}
