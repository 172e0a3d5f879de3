import Domain
import Foundation
import Testing

@testable import Persistence

@Suite("Waiting writes", .enabled(if: PostgreSQLDatabase.isAvailable), .timeLimit(.minutes(5)))
struct WaitingWritesTests {
    let database: PostgreSQLDatabase

    init() async throws {
        database = try PostgreSQLDatabase()
        let engine = try database.engine()
        for user in [ada, ben] {
            let number = try number(of: user)
            try await engine.write(about: .none) { try $0.insertUser(user, phoneNumber: number) }
        }
        try engine.close()
    }

    private func whileAdaIsLocked(_ body: () async throws -> Void) async throws {
        let other = try database.connection()
        try other.execute("BEGIN", [])
        try other.execute("SELECT 1 FROM users WHERE id = $1 FOR UPDATE", [.id(ada)])
        try await body()
        try other.execute("ROLLBACK", [])
    }

    private static let aboutAda: [Subjects] = [
        Subjects([ada]), Subjects([ben, ada]), Subjects([]) { _ in [ada] },
    ]

    @Test("Writes about one person wait without a connection", arguments: 0..<3)
    func samePerson(index: Int) async throws {
        let engine = try database.engine { options in
            options.connections = 4
            options.limits.lock = .seconds(60)
        }
        let about = Self.aboutAda[index]
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await whileAdaIsLocked {
                for _ in 0..<20 {
                    group.addTask { try await engine.write(about: about) { _ in } }
                }
                let waiting = """
                    SELECT COUNT(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                    """
                try await wait { try database.count(waiting) > 0 }
                for _ in 0..<20 {
                    try await engine.write(about: Subjects(names: ["other"])) { _ in }
                }
                #expect(try database.count(waiting) == 1)
                #expect(engine.health.lastFailure == nil)
            }
            try await group.waitForAll()
        }
        try engine.close()
    }

    @Test("The server's own work has reserved connections")
    func reserve() async throws {
        let engine = try database.engine { $0.connections = 4 }
        let (gate, runs) = (DispatchSemaphore(value: 0), Counter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<6 {
                group.addTask {
                    try await engine.write(about: Subjects(names: ["\(index)"])) { _ in
                        runs.next()
                        try gate.waitInTime()
                    }
                }
            }
            try await wait { runs.value >= 3 }
            try await engine.write(about: .none) { _ in }
            #expect(runs.value == 3)
            for _ in 0..<6 { gate.signal() }
            try await group.waitForAll()
        }
        try engine.close()
    }

    @Test("Waiting too long for a person is a conflict")
    func tooLong() async throws {
        let engine = try database.engine { $0.limits.waiting = .milliseconds(100) }
        let (gate, runs) = (DispatchSemaphore(value: 0), Counter())
        let first = Task {
            try await engine.write(about: Subjects([ada])) { _ in
                runs.next()
                try gate.waitInTime()
            }
        }
        try await wait { runs.value > 0 }
        await #expect(throws: DatabaseError.conflict) {
            try await engine.write(about: Subjects([ada])) { _ in }
        }
        #expect(engine.health.lastFailure == nil)
        gate.signal()
        try await first.value
        try engine.close()
    }

    @Test("Finding callers takes no urgent connections")
    func callers() async throws {
        let engine = try database.engine()
        let (gate, runs) = (DispatchSemaphore(value: 0), Counter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    try await engine.readCaller { _ in
                        runs.next()
                        try gate.waitInTime()
                    }
                }
            }
            try await wait { runs.value >= 2 }
            #expect(try await engine.readUrgently { try $0.count("SELECT 1", []) } == 1)
            #expect(try await engine.read { try $0.count("SELECT 1", []) } == 1)
            for _ in 0..<6 { gate.signal() }
            try await group.waitForAll()
        }
        try engine.close()
    }
}
