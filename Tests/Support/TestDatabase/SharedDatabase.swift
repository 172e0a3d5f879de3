import Foundation
import Persistence

/// One PostgreSQL database for several engines, each of them a server's.
public final class SharedDatabase: Sendable {
    private let server: String
    private let name: String

    /// Throws `NotOnPostgreSQL` without `LIFESIGNAL_TEST_DATABASE`.
    public init() throws {
        guard let server = TestDatabase.server else { throw NotOnPostgreSQL() }
        self.server = server
        name = try PostgreSQLTestDatabase.makeDatabase(on: server)
    }

    deinit { try? PostgreSQLTestDatabase.dropDatabase(name, on: server) }

    public func engine(
        connections: Int = 4, now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (CommitReport) -> Void = { _ in }
    ) throws -> PostgreSQLEngine {
        var options = PostgreSQLTestDatabase.options
        options.connections = connections
        // On a busy machine writes that meet take longer than anybody would wait for an answer.
        options.patience = .seconds(60)
        return try PostgreSQLEngine(
            try PostgreSQLAddress("\(server)/\(name)"), options: options, now: now, report: report)
    }

    public struct NotOnPostgreSQL: Error {}
}
