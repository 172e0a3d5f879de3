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

    static func run(_ bench: Workbench, into table: inout Table) async throws {
        let alone = try await measure(bench, hasReminders: false)
        table.add(
            "\(crowd) deadlines in one moment: last alert", seconds(alone.delays.max() ?? .nan),
            goal: "≤ 4 s", isMet: alone.delays.allSatisfy { $0 <= 4 })
        add(alone, "that", to: &table)
        let behind = try await measure(bench, hasReminders: true)
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

    private static func measure(_ bench: Workbench, hasReminders: Bool) async throws -> Result {
        let path = bench.path("crowd-\(hasReminders).sqlite")
        let count = 2 * crowd + responders
        printLine("Settling \(count) users")
        let people = try await Population.settle(path, count: count, sessions: count).people
        let silent = people.prefix(crowd)
        let reminded = people[crowd..<(2 * crowd)]
        let others = Array(people.suffix(responders))
        try await Population.connect(
            path, silent.enumerated().map { ($1.id, others[$0 % responders].id) })
        let moment = Date().addingTimeInterval(8)
        try await Population.setDeadline(path, of: silent.map { ($0.id, moment) })
        if hasReminders {
            let deadline = moment.addingTimeInterval(7_200 - 0.05)
            try await Population.setDeadline(
                path, of: reminded.map { ($0.id, deadline) }, hasReminders: true)
        }
        guard moment.timeIntervalSinceNow > 1 else { throw BenchError("settling took too long") }
        let server = try bench.start(database: path)
        let load = LoadClient(port: server.port)
        defer { load.close() }
        try await Task.sleep(for: .seconds(max(0, moment.timeIntervalSinceNow)))
        let checkIns = try await load.run(
            connections: 2, seconds: patience, request: Requests.checkIn(of: others))
        server.stop()
        let engine = try SQLiteEngine(path: path, now: { Date() })
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
