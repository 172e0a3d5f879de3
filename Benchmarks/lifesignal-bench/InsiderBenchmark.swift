import Domain
import Foundation
import NIOCore
import Persistence
import Synchronization

/// One account that uses all its permissions and rate limits fully. Measures the effect on other
/// people, and the growth of the database.
enum InsiderBenchmark {
    private static let responders = 21
    private static let others = 2_000
    private static let earlierActs = 3_000
    private static let pairs = 500
    /// The standard rate limit, in requests per second.
    private static let perSecond = 10.0

    static func run(_ bench: Workbench, into table: inout Table) async throws {
        printLine("One account at the limit of its requests")
        let path = bench.path("insider.sqlite")
        let count = 1 + responders + others
        let people = try await Population.settle(path, count: count, sessions: count).people
        let (owner, watchers) = (people[0], people[1...responders])
        try await Population.connect(path, watchers.map { (owner.id, $0.id) })
        let server = try bench.start(database: path)
        let client = LoadClient(port: server.port)
        let checkIns = Requests.checkIn(of: Array(people.suffix(others)))
        let quiet = try await client.run(connections: 4, seconds: bench.seconds, request: checkIns)
        try await act(bench, client, owner, watchers[1], checkIns, quiet.latencies, into: &table)
        client.close()
        server.stop()
        try await fill(bench, path, owner, into: &table)
    }

    private static func act(
        _ bench: Workbench, _ client: LoadClient, _ owner: Population.Person,
        _ insider: Population.Person, _ checkIns: @escaping @Sendable () -> ByteBuffer,
        _ quiet: [Double], into table: inout Table
    ) async throws {
        let alert = AlertRequests(owner: owner)
        _ = try await client.runOnce(alert.raise())
        let acts = alert.acts(of: insider)
        _ = try await client.run(
            connections: 1, seconds: 600, count: earlierActs, refusal: 429, request: acts)
        async let load = client.run(connections: 4, seconds: bench.seconds, request: checkIns)
        let end = ContinuousClock.now.advanced(by: .seconds(bench.seconds))
        while ContinuousClock.now < end {
            _ = try await client.run(
                connections: 1, seconds: 10, count: 1, refusal: 429, request: acts)
            try await Task.sleep(for: .seconds(1 / perSecond))
        }
        let p99 = try await load.latencies.percentile(0.99)
        _ = try await client.runOnce(alert.end())
        table.add(
            "hostile insider: check-in p99 of others while a responder acts 10 times a second, "
                + "after 3,000 acts",
            "\(milliseconds(p99)) (quiet \(milliseconds(quiet.percentile(0.99))))",
            goal: "≤ 50 ms", isMet: p99 <= 0.05)
    }

    private static func fill(
        _ bench: Workbench, _ path: String, _ owner: Population.Person, into table: inout Table
    ) async throws {
        let before = try await size(path)
        try await raiseAndEnd(bench, path, owner)
        let full = try await size(path)
        try await raiseAndEnd(bench, path, owner)
        let later = try await size(path)
        let perPair = Double(max(0, later - full)) / Double(pairs)
        let day = Double(full - before) + perPair * perSecond / 2 * 86_400
        table.add(
            "one account's bytes a day: raising and ending at the limit, \(responders) responders",
            String(
                format: "%.1f MB (%.1f MB after \(pairs) pairs, then %.0f bytes a pair)",
                day / 1e6, Double(full - before) / 1e6, perPair),
            goal: "≤ 20 MB", isMet: day <= 20e6)
    }

    /// Raises and ends alerts on a server of its own, because only one process may open the
    /// database.
    private static func raiseAndEnd(
        _ bench: Workbench, _ path: String, _ owner: Population.Person
    ) async throws {
        let server = try bench.start(database: path)
        defer { server.stop() }
        let client = LoadClient(port: server.port)
        defer { client.close() }
        let alert = AlertRequests(owner: owner)
        _ = try await client.run(
            connections: 1, seconds: 600, count: 2 * pairs, request: alert.raisingAndEnding())
    }

    /// Returns the total length of the values in the tables that grow. Pages don't count, because
    /// clean-up also changes their number.
    private static func size(_ path: String) async throws -> Int {
        let engine = try SQLiteEngine(path: path, now: { Date() })
        defer { try? engine.close() }
        return try await engine.read { connection in
            let tables: [String] = try connection.values(
                "SELECT name FROM sqlite_master WHERE type = 'table'", [])
            return try tables.map { table in
                let columns: [String] = try connection.values(
                    "SELECT name FROM pragma_table_info($1)", [.text(table)])
                let lengths = columns.map {
                    """
                    CASE typeof("\($0)") WHEN 'integer' THEN 6 WHEN 'null' THEN 1
                        ELSE length("\($0)") END
                    """
                }
                return try connection.count(
                    """
                    SELECT COALESCE(SUM(\(overhead) + \(lengths.joined(separator: " + "))), 0)
                    FROM \(table)
                    """, [])
            }.reduce(0, +)
        }
    }

    /// The overhead of a row in bytes: its header, and its keys in about three indexes.
    private static let overhead = 150
}

private final class AlertRequests: Sendable {
    private let owner: Population.Person
    private let id = Mutex(UUID())
    private let turn = Mutex(false)

    init(owner: Population.Person) { self.owner = owner }

    func raise() -> ByteBuffer {
        let new = UUID()
        id.withLock { $0 = new }
        return request("PUT", "", owner)
    }

    func end() -> ByteBuffer { request("POST", "/end", owner) }

    func raisingAndEnding() -> @Sendable () -> ByteBuffer {
        { [self] in isOdd() ? raise() : end() }
    }

    /// Returns requests that alternately acknowledge the alert and withdraw the acknowledgement.
    func acts(of responder: Population.Person) -> @Sendable () -> ByteBuffer {
        { [self] in request(isOdd() ? "POST" : "DELETE", "/acknowledgement", responder) }
    }

    private func isOdd() -> Bool {
        turn.withLock { turn in
            turn.toggle()
            return turn
        }
    }

    private func request(
        _ method: String, _ path: String, _ person: Population.Person
    ) -> ByteBuffer {
        let id = id.withLock(\.uuidString)
        return ByteBuffer(
            string: """
                \(method) /v1/alerts/\(id)\(path) HTTP/1.1\r\nHost: localhost\r\n\
                Authorization: Bearer \(person.token)\r\nContent-Length: 0\r\n\r\n
                """)
    }
}
