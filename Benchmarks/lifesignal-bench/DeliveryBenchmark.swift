import Domain
import Foundation
import Persistence

/// The cost of webhooks: for a thousand deadlines within one millisecond, and for the backlog after
/// an outage.
enum DeliveryBenchmark {
    private static let deadlines = 1_000
    private static let endpoints = 10_000
    private static let perEndpoint = 10

    static func run(_ bench: Workbench, into table: inout Table) async throws {
        try await passDeadlines(bench, into: &table)
        try await endOutage(bench, into: &table)
    }

    private static func passDeadlines(_ bench: Workbench, into table: inout Table) async throws {
        printLine("\(deadlines) deadlines in one millisecond, each with a webhook")
        let path = bench.path("deliveries.sqlite")
        let people = try await Population.settle(
            path, count: 2 * deadlines, sessions: 2 * deadlines
        ).people
        let (dependents, responders) = (people.prefix(deadlines), people.suffix(deadlines))
        try await Population.connect(path, zip(dependents, responders).map { ($0.id, $1.id) })
        let receiver = try await WebhookReceiver()
        defer { receiver.close() }
        try await register(path, responders.map(\.id), port: receiver.port)
        let moment = Date(milliseconds: Date().addingTimeInterval(15).milliseconds)
        try await Population.setDeadline(path, of: dependents.map { ($0.id, moment) })
        let server = try bench.start(database: path, "--allow-private-webhooks")
        defer { server.stop() }
        let arrivals = try await receiver.take(deadlines, patience: .seconds(60))
        let delays = arrivals.map { $0.time.timeIntervalSince(moment) }
        guard delays.allSatisfy({ $0 > -0.002 }) else {
            throw BenchError("a webhook came too early")
        }
        let p99 = delays.percentile(0.99)
        table.add(
            "\(deadlines) deadlines in one millisecond: deadline → at the webhook, p99",
            "\(milliseconds(p99)) (median \(milliseconds(delays.median)))", goal: "≤ 0.9 s",
            isMet: p99 <= 0.9)
    }

    private static func endOutage(_ bench: Workbench, into table: inout Table) async throws {
        let count = endpoints * perEndpoint
        printLine("\(count) due deliveries after an outage")
        let path = bench.path("outage.sqlite")
        let people = try await Population.settle(path, count: endpoints, sessions: endpoints).people
        let receiver = try await WebhookReceiver()
        defer { receiver.close() }
        try await register(path, people.map(\.id), port: receiver.port)
        try await Backlog.queue(
            path, people.map(\.id), perEndpoint: perEndpoint, channel: .webhook)
        let start = Date()
        let server = try bench.start(database: path, "--allow-private-webhooks")
        defer { server.stop() }
        let times = try await receiver.take(count, patience: .seconds(600)).map(\.time)
        let first = times[0].timeIntervalSince(start)
        table.add(
            "\(count) due deliveries: start of the program → first alert told",
            milliseconds(first),
            goal: "≤ 1 s", isMet: first <= 1)
        // Skips the first tenth, which warms up the connections. Skips the end, when only a few
        // endpoints have messages left.
        let tenth = count / 10
        func rate(_ part: Range<Int>) -> Double {
            Double(part.count)
                / times[part.upperBound - 1].timeIntervalSince(times[part.lowerBound])
        }
        let (early, late) = (rate(tenth..<3 * tenth), rate(7 * tenth..<9 * tenth))
        table.add(
            "throughput at the end of them / at the start",
            "\(String(format: "%.2f", late / early)) (\(thousands(late)) and \(thousands(early)))",
            goal: "≥ 0.9", isMet: late / early >= 0.9)
    }

    private static func register(_ path: String, _ people: [UserID], port: Int) async throws {
        let engine = try SQLiteEngine(path: path, now: { Date() })
        try await engine.write(about: .none) { transaction in
            for (index, person) in people.enumerated() {
                guard let url = URL(string: "http://127.0.0.1:\(port)/\(index)") else { continue }
                let device = PushEndpoint(
                    id: ID(UUID()), kind: .webhook, url: url, createdAt: Date())
                try transaction.save(device, of: person, session: ID(UUID()))
            }
        }
        try engine.close()
    }
}
