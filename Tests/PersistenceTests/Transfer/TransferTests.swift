import Domain
import Foundation
import Testing

import class GRDB.DatabaseQueue

@testable import Persistence

/// Needs a PostgreSQL server: `make test-postgresql`.
@Suite(.enabled(if: PostgreSQLDatabase.isAvailable)) struct TransferTests {
    @Test func dataContinuesOnPostgreSQL() async throws {
        let folder = try TestFolder()
        let database = try PostgreSQLDatabase()
        let source = try SQLiteEngine(path: folder.file())
        try await source.moveIn(ada, ben)
        try await source.connect(ben, watchesOver: ada)
        for _ in 1...3 {
            try await source.write(about: .none) { try $0.append(.profileChanged, to: ada) }
        }
        let token = SignUpToken(
            id: id(4), note: "Choir", uses: 3, createdAt: noon, expiresAt: noon.adding(.days(7)))
        try await source.write(about: .none) {
            try $0.insert(token, hash: Data(repeating: 4, count: 32))
            try $0.updateServerState { $0.signUp = .invited }
        }
        try source.close()

        let summary = try Transfer.run(from: folder.file(), to: database.address())
        #expect(summary.different.isEmpty && !summary.wasFinished)
        #expect(summary.tables.first { $0.name == "users" }?.rows == 2)

        let target = try database.engine()
        #expect(try await target.read { try $0.user(ada)?.name } == names[ada])
        #expect(try await target.read { try $0.signUpTokens() } == [token])
        #expect(try await target.read { try $0.serverState().signUp } == .invited)
        try await target.write(about: Subjects([ada])) { try $0.append(.profileChanged, to: ada) }
        let events = try await target.read { try $0.events(of: ada, after: 0, limit: 10).events }
        #expect(events.map(\.sequence) == [1, 2, 3, 4])
        try target.close()
    }

    /// SQLite stores the event of a check-in in a form of its own.
    @Test func checkInEventsAreTransferred() async throws {
        let folder = try TestFolder()
        let database = try PostgreSQLDatabase()
        let source = try SQLiteEngine(path: folder.file())
        try await source.moveIn(ada)
        let event = UserEvent.checkIn(
            .init(userID: ben, lastCheckInTime: noon, nextCheckInTime: nil))
        try await source.write(about: .none) { try $0.append(event, to: ada) }
        let events = try await source.read { try $0.events(of: ada, after: 0, limit: 10).events }
        #expect(events.map(\.sequence) == [1])
        try source.close()
        #expect(try Transfer.run(from: folder.file(), to: database.address()).different.isEmpty)
        let target = try database.engine()
        #expect(
            try await target.read { try $0.events(of: ada, after: 0, limit: 10).events } == events)
        try target.close()
    }

    /// A copy that is late on SQLite catches up on PostgreSQL, also for a deleted account.
    @Test func lateCopiesAreTransferred() async throws {
        let folder = try TestFolder()
        let database = try PostgreSQLDatabase()
        let source = try SQLiteEngine(
            path: folder.file(), now: { noon }, notesCopyChanges: true)
        try await source.moveIn(ada, ben)
        let row = try #require(try await source.read { try $0.user(ben) })
        try await source.write(about: .none) { transaction in
            try transaction.deleteUser(row)
            try transaction.setLeavesNoteOutOfCopy(true, of: ada)
        }
        try source.close()
        #expect(try Transfer.run(from: folder.file(), to: database.address()).different.isEmpty)
        let target = try database.engine()
        let due = try await target.write(about: .none) {
            try $0.leaseCopyChanges(1, for: .minutes(2), limit: 10)
        }
        #expect(due.map(\.user) == [ada, ben])
        #expect(try await target.read { try $0.copiedPerson(ben) } == nil)
        let copy = try #require(try await target.read { try $0.copiedPerson(ada) })
        #expect(copy.name == names[ada] && copy.emergencyNote == nil)
        try target.close()
    }

    @Test func oldFileIsMigratedFirst() throws {
        let folder = try TestFolder()
        let database = try PostgreSQLDatabase()
        let queue = try DatabaseQueue(path: folder.file())
        try queue.writeWithoutTransaction {
            try Migrator.migrate(
                SQLiteConnection(database: $0, path: folder.file(), now: noon), dialect: .sqlite,
                upTo: 2)
        }
        try queue.close()
        let summary = try Transfer.run(from: folder.file(), to: database.address())
        #expect(summary.tables.first { $0.name == "schema_versions" }?.rows == Migrator.newest)
    }

    /// PostgreSQL can't store NUL characters in text, so the comparison ignores them.
    @Test func extremeValuesAreCopiedExactly() async throws {
        let folder = try TestFolder()
        let database = try PostgreSQLDatabase()
        let source = try SQLiteEngine(path: folder.file())
        try await source.moveIn(ada)
        try await source.write(about: .none) { transaction in
            try transaction.updateUser(ada, name: "A\0d\u{301}a 🛟", emergencyNote: "\"'\\\n")
            for (name, value) in [("lowest", Int64.min), ("Highest", .max), ("ä", 0), ("Z", 1)] {
                try transaction.execute(
                    "INSERT INTO server_state (name, value) VALUES ($1, $2)",
                    [.text(name), .integer(value)])
            }
        }
        try source.close()
        #expect(try Transfer.run(from: folder.file(), to: database.address()).different.isEmpty)
    }

    @Test func serversRejectUnfinishedTransfer() throws {
        let database = try PostgreSQLDatabase()
        let target = try TransferTarget(database.address())
        #expect(try target.begin(source: 1) == .ready)
        let refused = try #require(throws: DatabaseError.self) { try database.engine() }
        #expect("\(refused)".contains("a migration from SQLite has not finished"))
        // The same source may resume the transfer. Another source is rejected.
        #expect(try TransferTarget(database.address()).begin(source: 1) == .ready)
        #expect(throws: DatabaseError.self) {
            try TransferTarget(database.address()).begin(source: 2)
        }
        try target.finish([])
        try database.engine().close()
    }

    /// A server writes its first rows while the transfer checks for rows.
    @Test(.timeLimit(.minutes(5)))
    func concurrentlyStartingServerIsDetected() async throws {
        let database = try PostgreSQLDatabase()
        try database.engine().close()
        let server = try database.connection()
        try server.execute("BEGIN", [])
        try server.execute("INSERT INTO server_state (name, value) VALUES ('epoch', 1)", [])
        let address = try database.address()
        let isOver = Counter()
        async let state = onAnotherThread {
            defer { isOver.next() }
            return try TransferTarget(address).begin(source: 1)
        }
        let onlooker = try database.connection()
        while isOver.value == 0,
            try !onlooker.hasRow("SELECT 1 FROM pg_locks WHERE NOT granted", [])
        {
            await Task.yield()
        }
        try server.execute("COMMIT", [])
        #expect(try await state == .holdsData)
        try Transfer.checkNoneIsUnfinished(at: address)
    }

    @Test func serverDetectsTransferBegunBeforeItsRows() throws {
        let database = try PostgreSQLDatabase()
        try database.engine().close()
        #expect(try TransferTarget(database.address()).begin(source: 1) == .ready)
        #expect(throws: DatabaseError.self) {
            try Transfer.checkNoneIsUnfinished(at: database.address())
        }
    }

    @Test func usedDatabaseIsRejectedAsTarget() async throws {
        let database = try PostgreSQLDatabase()
        let engine = try database.engine()
        #expect(try TransferTarget(database.address()).begin(source: 1) == .ready)
        try TransferTarget(database.address()).finish([])
        try await engine.write(about: .none) {
            try $0.insertUser(ada, phoneNumber: try number(of: ada))
        }
        #expect(try TransferTarget(database.address()).begin(source: 1) == .holdsData)
        try engine.close()
    }
}
