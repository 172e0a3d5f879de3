import Domain
import Foundation
import Testing

@testable import Persistence

@Suite(
    "Fewer connections than threads", .enabled(if: PostgreSQLDatabase.isAvailable),
    .timeLimit(.minutes(5)))
struct ConnectionShortageTests {
    let database: PostgreSQLDatabase

    init() throws { database = try PostgreSQLDatabase() }

    private func with(
        connections: Int, _ change: (inout PostgreSQLEngine.Options) -> Void = { _ in },
        _ body: (PostgreSQLEngine) async throws -> Void
    ) async throws {
        let role = "role_\(database.name)"
        try database.run(
            "CREATE ROLE \(role) LOGIN CONNECTION LIMIT \(connections)",
            "ALTER DATABASE \(database.name) OWNER TO \(role)",
            "GRANT ALL ON SCHEMA public TO \(role)")
        defer {
            try? database.run(
                "REASSIGN OWNED BY \(role) TO CURRENT_USER", "DROP OWNED BY \(role)",
                "DROP ROLE \(role)")
        }
        let engine = try database.engine(user: role) { options in
            options.connections = 4
            change(&options)
        }
        defer { try? engine.close() }
        try await body(engine)
    }

    @Test("Jobs wait for the available connections")
    func waiting() async throws {
        try await with(connections: 3) { engine in
            let run: @Sendable (Bool) async throws -> Void = { isRead in
                let work = "SELECT COUNT(*) AS n FROM generate_series(1, 20000)"
                if isRead {
                    _ = try await engine.read { try $0.count(work, []) }
                } else {
                    _ = try await engine.write(about: .none) { try $0.count(work, []) }
                }
            }
            // Opens a connection for reads first, because the writes may take all others.
            try await run(true)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<80 { group.addTask { try await run(index.isMultiple(of: 2)) } }
                try await group.waitForAll()
            }
            #expect(engine.health.lastFailure == nil)
        }
    }

    @Test("A job that times out reports the connection limit")
    func expiry() async throws {
        let change = { (options: inout PostgreSQLEngine.Options) in
            options.patience = .zero
            options.limits.waiting = .seconds(2)
        }
        try await with(connections: 2, change) { engine in
            // Repeats the write until earlier connections have closed and it gets a connection.
            while (try? await engine.write(about: .none) { try $0.count("SELECT 1", []) }) == nil {}
            let gate = DispatchSemaphore(value: 0)
            let failures = Counter()
            let errors = await withTaskGroup(of: DatabaseError?.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        do {
                            try await engine.write(about: .none) { _ in try gate.waitInTime() }
                            return nil
                        } catch {
                            // Both connections stay busy until two jobs have failed.
                            if failures.next() == 2 {
                                gate.signal()
                                gate.signal()
                            }
                            return error as? DatabaseError
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
            }
            #expect(errors.count >= 2)
            for error in errors {
                #expect(
                    error.description.contains(
                        "raise max_connections, or lower --database-connections"))
            }
        }
    }
}
