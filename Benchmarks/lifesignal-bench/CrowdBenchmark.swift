import Domain
import Foundation
import Persistence

/// Many deadlines at the same time: first alone, then behind as many reminders.
enum CrowdBenchmark {
    private static let crowd = 20_000
    private static let responders = 200
    /// The time limit for all deadlines, in seconds. Other people's requests load the server for as
    /// long.
    private static let patience = 20.0

    /// Where the people live, and who watches over their deadlines.
    private struct Place {
        /// Opens the database. An SQLite file has one user at a time.
        var open: () throws -> any DatabaseEngine
        /// The people of one transaction when they are settled.
        var chunk = 5_000
        /// How long before the moment the deadlines are set, in seconds.
        var lead = 8.0
        var start: () throws -> [MeasuredServer]
    }

    static func run(_ bench: Workbench, into table: inout Table) async throws {
        try await run(into: &table) { hasReminders in
            let path = bench.path("crowd-\(hasReminders).sqlite")
            return Place {
                try SQLiteEngine(path: path, now: { Date() })
            } start: {
                [try bench.start(database: path)]
            }
        }
    }

    /// Measures three servers.
    static func run(_ cluster: BenchCluster, into table: inout Table) async throws {
        try await run(into: &table) { hasReminders in
            let name = "bench_crowd_\(hasReminders)"
            try cluster.makeDatabase(name)
            return Place(open: { try cluster.engine(name) }, chunk: 500, lead: 40) {
                try cluster.run(name, "VACUUM ANALYZE")
                return try (0..<3).map { _ in try cluster.server(name) }
            }
        }
    }

    private static func run(
        into table: inout Table, _ place: (_ hasReminders: Bool) throws -> Place
    ) async throws {
        let alone = try await measure(try place(false), hasReminders: false)
        table.add(
            "\(crowd) deadlines in one moment: last alert", seconds(alone.delays.max() ?? .nan),
            goal: "≤ 4 s", isMet: alone.delays.allSatisfy { $0 <= 4 })
        add(alone, "that", to: &table)
        let behind = try await measure(try place(true), hasReminders: true)
        let (first, last) = (behind.delays.min() ?? .nan, behind.delays.max() ?? .nan)
        table.add(
            "the same with \(crowd) reminders 50 ms earlier: first / last alert",
            "\(seconds(first)) / \(seconds(last))", goal: "≤ 0.1 s / ≤ 4.5 s",
            isMet: first <= 0.1 && last <= 4.5)
        add(behind, "both", to: &table)
    }

    private static func add(_ result: Result, _ what: String, to table: inout Table) {
        let p99 = result.checkIns.percentile(0.99)
        table.add(
            "check-in p99 of others during \(what)",
            "\(milliseconds(p99)) (median \(milliseconds(result.checkIns.median)))",
            goal: "≤ 50 ms", isMet: p99 <= 0.05)
    }

    private static func seconds(_ value: Double) -> String { String(format: "%.2f s", value) }

    private struct Result: Sendable {
        /// The times from the deadline until the transaction that alerts the responder, in seconds.
        var delays: [Double]
        var checkIns: [Double]
    }

    private static func measure(_ place: Place, hasReminders: Bool) async throws -> Result {
        var engine = try place.open()
        let count = 2 * crowd + responders
        printLine("Settling \(count) users")
        let people = try await Population.settle(
            engine, count: count, sessions: count, chunk: place.chunk
        ).people
        let silent = people.prefix(crowd)
        let reminded = people[crowd..<(2 * crowd)]
        let others = Array(people.suffix(responders))
        try await Population.connect(
            engine, silent.enumerated().map { ($1.id, others[$0 % responders].id) })
        let moment = Date().addingTimeInterval(place.lead)
        try await Population.setDeadline(engine, of: silent.map { ($0.id, moment) })
        if hasReminders {
            let deadline = moment.addingTimeInterval(7_200 - 0.05)
            try await Population.setDeadline(
                engine, of: reminded.map { ($0.id, deadline) }, hasReminders: true)
        }
        try engine.close()
        let servers = try place.start()
        guard moment.timeIntervalSinceNow > 0.5 else { throw BenchError("settling took too long") }
        let load = LoadClient(port: servers[0].port)
        defer { load.close() }
        try await Task.sleep(for: .seconds(max(0, moment.timeIntervalSinceNow)))
        let checkIns = try await load.run(
            connections: 2, seconds: patience, request: Requests.checkIn(of: others))
        for server in servers { server.stop() }
        engine = try place.open()
        defer { try? engine.close() }
        let delays = try await engine.read { connection in
            try connection.query("SELECT started_at - deadline_at AS delay FROM alerts", []) {
                let delay: Int64 = try $0["delay"]
                return Double(delay) / 1_000
            }
        }
        guard delays.count == crowd else {
            throw BenchError("\(delays.count) of \(crowd) alerts were opened")
        }
        return Result(delays: delays, checkIns: checkIns.latencies)
    }
}
