import Domain
import Foundation
import Synchronization
import Testing

@testable import Persistence

@Suite(
    "Retried writes", .enabled(if: PostgreSQLDatabase.isAvailable), .timeLimit(.minutes(5)))
struct RepeatedWriteTests {
    let database: PostgreSQLDatabase

    init() throws {
        database = try PostgreSQLDatabase()
        try database.makeNotes()
    }

    @Test("Two deadlocked writes both take effect once")
    func deadlock() async throws {
        let engine = try database.engine()
        let (runs, meeting) = (Counter(), Meeting(of: 2))
        @Sendable func write(_ first: Int, _ second: Int) async throws {
            let isMet = Mutex(false)
            try await engine.write(about: .none) { transaction in
                runs.next()
                try transaction.note(first, "a")
                if !isMet.withLock({ met in
                    defer { met = true }; return met
                }) {
                    try meeting.arrive()
                }
                try transaction.note(second, "a")
            }
        }
        async let one: Void = write(1, 2)
        async let other: Void = write(2, 1)
        _ = try await (one, other)
        #expect(runs.value == 3)
        #expect(try database.count("SELECT COUNT(*) FROM notes WHERE text = 'aa'") == 2)
        try engine.close()
    }

    @Test("A retried write publishes its events once")
    func serialization() async throws {
        try database.onWriteOfNotes(
            "IF nextval('runs') < 3 THEN RAISE serialization_failure; END IF;")
        let (reports, runs) = (Reports(), Counter())
        let engine = try database.engine(reports: reports)
        try await engine.write(about: .none) { transaction in
            runs.next()
            try transaction.append(.profileChanged, to: ada)
            transaction.wakeDelivery()
            try transaction.note(3)
        }
        #expect(runs.value == 3)
        #expect(reports.all.map(\.outbox.events.count) == [1])
        #expect(reports.all.first?.outbox.events.first?.sequence == 1)
        #expect(try database.count("SELECT COUNT(*) FROM events") == 1)
        try engine.close()
    }

    @Test("A lasting conflict is reported and changes nothing")
    func limit() async throws {
        try database.onWriteOfNotes("RAISE serialization_failure;")
        let reports = Reports()
        let engine = try database.engine(reports: reports) { $0.patience = .milliseconds(100) }
        let runs = Counter()
        await #expect(throws: DatabaseError.conflict) {
            try await engine.write(about: .none) { transaction in
                runs.next()
                try transaction.note(3)
            }
        }
        #expect(runs.value > 1)
        // One report for the metric, although the write ran several times.
        #expect(reports.all.map(\.failure) == [.conflict])
        #expect(try database.count("SELECT COUNT(*) FROM notes WHERE id = 3") == 0)
        #expect(engine.health.lastFailure == nil)
        try engine.close()
    }

    @Test("A body's own error is not retried")
    func ownError() async throws {
        let engine = try database.engine()
        let runs = Counter()
        await #expect(throws: CancellationError.self) {
            try await engine.write(about: .none) { transaction in
                runs.next()
                try transaction.note(3)
                throw CancellationError()
            }
        }
        #expect(runs.value == 1)
        #expect(try database.count("SELECT COUNT(*) FROM notes WHERE id = 3") == 0)
        try engine.close()
    }

    @Test("Writes about one person run in sequence across engines")
    func samePerson() async throws {
        let engines = try (0..<3).map { _ in try database.engine() }
        let number = try number(of: ada)
        try await engines[0].write(about: .none) {
            try $0.insertUser(ada, phoneNumber: number)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<30 {
                group.addTask {
                    try await engines[index % 3].write(about: Subjects([ada])) { transaction in
                        let old: String? = try transaction.value(
                            "SELECT text FROM notes WHERE id = 1", [])
                        try transaction.execute(
                            "UPDATE notes SET text = $1 WHERE id = 1", [.text((old ?? "") + "x")])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try database.count("SELECT length(text) FROM notes WHERE id = 1") == 30)
        for engine in engines { try engine.close() }
    }
}
