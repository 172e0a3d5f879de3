import Foundation
import Persistence

/// One PostgreSQL database that several engines share. Each engine acts as one server.
public final class SharedDatabase: Sendable {
    private let server: String
    private let name: String

    /// Throws `NotOnPostgreSQL` if `LIFESIGNAL_TEST_DATABASE` is not set.
    public init() throws {
        guard let server = TestDatabase.server else { throw NotOnPostgreSQL() }
        self.server = server
        name = try PostgreSQLTestDatabase.makeDatabase(on: server)
    }

    deinit { try? PostgreSQLTestDatabase.dropDatabase(name, on: server) }

    public func engine(
        connections: Int = 4, notesCopyChanges: Bool = false,
        now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (CommitReport) -> Void = { _ in }
    ) throws -> PostgreSQLEngine {
        var options = PostgreSQLTestDatabase.options
        options.connections = connections
        options.notesCopyChanges = notesCopyChanges
        // Concurrent writes on a busy machine may take longer than a user would wait.
        options.patience = .seconds(60)
        return try PostgreSQLEngine(
            try PostgreSQLAddress("\(server)/\(name)"), options: options, now: now, report: report)
    }

    public struct NotOnPostgreSQL: Error {}
}
