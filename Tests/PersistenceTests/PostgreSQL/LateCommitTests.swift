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
        try database.onWriteOfNotes(
            atCommit: true,
            "PERFORM set_config('lock_timeout', '0', true); PERFORM pg_advisory_xact_lock(7);")
    }

    private func note(
        _ id: Int, in engine: PostgreSQLEngine, isRepeatable: Bool = false
    ) async -> DatabaseError? {
        do {
            try await engine.write(about: Subjects([], isRepeatable: isRepeatable)) {
                try $0.note(id)
            }
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
        #expect(try runningCommits == 2)
        let reader = try await engine.read { try $0.count("SELECT pg_backend_pid()", []) }
        #expect(before.contains(Int64(reader)))
        try other.execute("SELECT pg_advisory_unlock(7)", [])
        // Retries, because a late commit may not have ended yet.
        try await wait { await note(10, in: engine) == nil }
        #expect(try database.count("SELECT COUNT(*) FROM notes WHERE id IN (3, 4)") == 2)
        #expect(engine.health.lastFailure == nil)
        try engine.close()
    }

    private var runningCommits: Int {
        get throws {
            try database.count(
                """
                SELECT COUNT(*) FROM pg_stat_activity
                WHERE datname = current_database() AND state = 'active' AND query = 'COMMIT'
                """)
        }
    }

    @Test("A conflict with a late commit doesn't say that nothing was changed")
    func ownLocks() async throws {
        let engine = try database.engine { options in
            options.patience = .milliseconds(200)
            options.limits.lock = .milliseconds(300)
            options.limits.commit = .seconds(3)
        }
        let other = try database.connection()
        try other.execute("SELECT pg_advisory_lock(7)", [])
        let unknown = DatabaseError.outcomeUnknown(path: try database.address().description)
        // Its retry meets the locks of its own commit.
        #expect(await note(3, in: engine, isRepeatable: true) == unknown)
        #expect(engine.health.commitsAreLate)
        try await engine.write(about: .none) { _ in }
        #expect(engine.health.commitsAreLate, "an empty transaction waits for no replica")
        #expect(await note(3, in: engine) == unknown)
        try await engine.probe()
        #expect(!engine.health.commitsAreLate)
        #expect(await note(3, in: engine) == .conflict)
        try other.execute("SELECT pg_advisory_unlock(7)", [])
        try await wait { await note(10, in: engine) == nil }
        #expect(try database.count("SELECT COUNT(*) FROM notes WHERE id = 3") == 1)
        try engine.close()
    }

    @Test("A running commit counts as a waiting write")
    func running() async throws {
        let engine = try database.engine { $0.limits.commit = .seconds(600) }
        let other = try database.connection()
        try other.execute("SELECT pg_advisory_lock(7)", [])
        let writing = Task { await note(3, in: engine) }
        try await wait { try runningCommits == 1 }
        #expect(engine.health.oldestWaiting > .zero && !engine.health.commitsAreLate)
        try other.execute("SELECT pg_advisory_unlock(7)", [])
        #expect(await writing.value == nil)
        #expect(engine.health.oldestWaiting == .zero)
        try engine.close()
    }
}
