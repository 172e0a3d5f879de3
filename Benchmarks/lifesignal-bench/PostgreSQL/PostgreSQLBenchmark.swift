import Domain
import Foundation
import NIOCore
import Persistence

/// Several servers on one PostgreSQL server. Both values of a ratio are measured in the same run on
/// the same cluster.
enum PostgreSQLBenchmark {
    /// The number of rounds. With only three rounds of 5 s, the ratio of two servers to one varied
    /// from 1.1 to 1.4.
    private static let rounds = 7
    private static let connections = 64

    static func run(_ cluster: BenchCluster, into table: inout Table) async throws {
        if cluster.wants("load") { try await load(cluster, into: &table) }
        if cluster.wants("streams") { try await streams(cluster, into: &table) }
        if cluster.wants("alert") { try await AlertStatements.run(cluster, into: &table) }
        if cluster.wants("history") { try await history(cluster, into: &table) }
        if cluster.wants("deadlines") { try await SharedDeadlines.run(cluster, into: &table) }
        if cluster.wants("crowd") { try await CrowdBenchmark.run(cluster, into: &table) }
    }

    // MARK: Check-ins

    private static func load(_ cluster: BenchCluster, into table: inout Table) async throws {
        let (name, users) = ("bench_load", 10_000)
        try cluster.makeDatabase(name)
        try cluster.addUsers(users, to: name)
        let people = try await people(users, cluster, name)
        let pgbench = try PGBench(cluster, name, users: users)
        let one = try cluster.server(name)
        defer { one.stop() }
        let other = try cluster.server(name)
        defer { other.stop() }
        var (alone, raw) = ([Double](), [Double]())
        var (costAlone, costTogether) = ([Double](), [Double]())
        for round in 0...rounds {
            raw.append(try pgbench.run(seconds: cluster.bench.seconds))
            let first = try await checkIns(at: [one], of: people, cluster)
            let second = try await checkIns(at: [one, other], of: people, cluster)
            alone.append(first.perSecond)
            costAlone.append(first.processorTime)
            costTogether.append(second.processorTime)
            // The first round fills the caches.
            if round == 0 { (alone, raw, costAlone, costTogether) = ([], [], [], []) }
        }
        let ratio = zip(alone, raw).map { $0 / $1 }.median
        table.add(
            "durable check-ins a second of one server / pgbench with the statements of one",
            "\(two(ratio)) (\(thousands(alone.median)) / \(thousands(raw.median)))",
            goal: "≥ 0.5", isMet: ratio >= 0.5)
        let cost = zip(costTogether, costAlone).map { $0 / $1 }.median
        table.add(
            "processor time of servers a check-in, two servers / one",
            """
            \(two(cost)) (\(milliseconds(costTogether.median)) / \
            \(milliseconds(costAlone.median)))
            """, goal: "≤ 1.2", isMet: cost <= 1.2)
    }

    private static func people(
        _ count: Int, _ cluster: BenchCluster, _ name: String
    ) async throws -> [Population.Person] {
        let engine = try cluster.engine(name)
        defer { try? engine.close() }
        return try await Population.settle(engine, count: count, sessions: count, chunk: 500)
            .people
    }

    private static func checkIns(
        at servers: [MeasuredServer], of people: [Population.Person], _ cluster: BenchCluster
    ) async throws -> (perSecond: Double, processorTime: Double) {
        let clients = servers.map { LoadClient(port: $0.port) }
        defer { for client in clients { client.close() } }
        let before = servers.map(\.processorTime).reduce(0, +)
        let results = try await withThrowingTaskGroup(of: LoadClient.Result.self) { group in
            for client in clients {
                group.addTask {
                    try await client.run(
                        connections: connections / clients.count, seconds: cluster.bench.seconds,
                        request: Requests.checkIn(of: people))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let used = servers.map(\.processorTime).reduce(0, +) - before
        let count = results.map(\.latencies.count).reduce(0, +)
        return (results.map(\.perSecond).reduce(0, +), used / Double(count))
    }

    // MARK: Streams

    private static func streams(_ cluster: BenchCluster, into table: inout Table) async throws {
        let name = "bench_streams"
        try cluster.makeDatabase(name)
        let people = try await people(2, cluster, name)
        let engine = try cluster.engine(name)
        try await Population.connect(engine, [(people[0].id, people[1].id)])
        try engine.close()
        let servers = [try cluster.server(name), try cluster.server(name)]
        defer { for server in servers { server.stop() } }
        let client = LoadClient(port: servers[0].port)
        let streams = StreamClient(lookingFor: "\nevent: alert\n")
        defer {
            client.close()
            streams.close()
        }
        try await streams.open([people[1].token], port: servers[1].port)
        var delays: [Double] = []
        for _ in 0..<200 {
            let id = UUID().uuidString
            let raised = Date()
            for request in [Requests.raise(id, by: people[0]), Requests.end(id, by: people[0])] {
                _ = try await client.run(
                    connections: 1, seconds: 5, count: 1, request: { request })
                let arrivals = try await streams.allArrivals(1)
                if delays.count % 2 == 0, let arrival = arrivals[0] {
                    delays.append(arrival.timeIntervalSince(raised))
                } else {
                    delays.append(.nan)
                }
            }
        }
        delays = delays.filter { !$0.isNaN }
        let (p50, p99) = (delays.percentile(0.5), delays.percentile(0.99))
        table.add(
            "alert on one server → stream on another, p50 / p99 (200 alerts)",
            "\(milliseconds(p50)) / \(milliseconds(p99))", goal: "≤ 20 / ≤ 100 ms",
            isMet: p50 <= 0.02 && p99 <= 0.1)
    }

    // MARK: History

    private static func history(_ cluster: BenchCluster, into table: inout Table) async throws {
        let users = 10_000
        var servers: [(server: MeasuredServer, people: [Population.Person])] = []
        defer { for server in servers { server.server.stop() } }
        for (name, count) in [("bench_few", 10_000), ("bench_many", cluster.history)] {
            printLine("Writing \(count) check-ins")
            try cluster.makeDatabase(name)
            try cluster.addUsers(users, to: name)
            try cluster.addHistory(count, of: users, to: name)
            try cluster.run(name, "VACUUM ANALYZE")
            let people = try await people(users, cluster, name)
            servers.append((try cluster.server(name), people))
        }
        var rates: [[Double]] = [[], []]
        for round in 0...rounds {
            for (index, server) in servers.enumerated() {
                let rate = try await checkIns(at: [server.server], of: server.people, cluster)
                if round > 0 { rates[index].append(rate.perSecond) }
            }
        }
        let ratio = zip(rates[0], rates[1]).map { $0 / $1 }.median
        table.add(
            "check-in cost with \(cluster.history) history rows / 10,000",
            "\(two(ratio)) (\(thousands(rates[1].median)) and \(thousands(rates[0].median)))",
            goal: "≤ 1.3", isMet: ratio <= 1.3)
    }

    static func two(_ ratio: Double) -> String { String(format: "%.2f", ratio) }
}

extension Requests {
    static func raise(_ id: String, by person: Population.Person) -> ByteBuffer {
        empty("PUT /v1/alerts/\(id)", by: person)
    }

    static func end(_ id: String, by person: Population.Person) -> ByteBuffer {
        empty("POST /v1/alerts/\(id)/end", by: person)
    }

    private static func empty(_ line: String, by person: Population.Person) -> ByteBuffer {
        ByteBuffer(
            string: """
                \(line) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \
                \(person.token)\r\nContent-Length: 0\r\n\r\n
                """)
    }
}
