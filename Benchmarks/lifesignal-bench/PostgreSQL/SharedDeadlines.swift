import Domain
import Foundation
import Persistence

/// A thousand deadlines within one second among many users, handled by three servers.
enum SharedDeadlines {
    private static let due = 1_000

    static func run(_ cluster: BenchCluster, into table: inout Table) async throws {
        let (name, users) = ("bench_deadlines", cluster.bench.largePopulation)
        printLine("Settling \(users) users")
        try cluster.makeDatabase(name)
        try cluster.addUsers(users, to: name)
        try cluster.run(name, "VACUUM ANALYZE")
        let engine = try cluster.engine(name)
        let people = try await Population.settle(
            engine, count: 12 * due, sessions: 12 * due, chunk: 500
        ).people
        let (dependents, responders) = (people.prefix(due), people[due..<(2 * due)])
        let others = Array(people[(2 * due)...])
        try await Population.connect(engine, zip(dependents, responders).map { ($0.id, $1.id) })
        let first = Date().addingTimeInterval(30)
        let moments = (0..<due).map { first.addingTimeInterval(Double($0) / Double(due)) }
        try await Population.setDeadline(
            engine,
            of: zip(dependents, moments).map { ($0.id, Date(milliseconds: $1.milliseconds)) })
        try engine.close()
        let servers = try (0..<3).map { _ in try cluster.server(name) }
        defer { for server in servers { server.stop() } }
        let streams = StreamClient(lookingFor: "\nevent: alert\n")
        defer { streams.close() }
        // Each server has the streams of one third of the responders, divided in their order.
        let tokens = responders.map(\.token)
        let parts = (0..<3).map { part in
            tokens.indices.filter { $0 * 3 / tokens.count == part }.map { tokens[$0] }
        }
        for (server, part) in zip(servers, parts) {
            try await streams.open(part, port: server.port)
        }
        let client = LoadClient(port: servers[0].port)
        defer { client.close() }
        try await Task.sleep(for: .seconds(max(0, first.timeIntervalSinceNow - 2)))
        async let load = client.run(
            connections: 16, seconds: 6, request: Requests.checkIn(of: others))
        let arrivals = try await streams.allArrivals(due)
        let checkIns = try await load
        let delays = arrivals.map { $0.value.timeIntervalSince(moments[$0.key]) }
        let p99 = delays.percentile(0.99)
        table.add(
            """
            \(users) users armed, \(due) due in one second, three servers: deadline → on the \
            responder's stream, p99
            """,
            """
            \(milliseconds(p99)) (median \(milliseconds(delays.median)); \
            \(thousands(checkIns.perSecond)) check-ins meanwhile)
            """, goal: "≤ 1 s", isMet: p99 <= 1)
    }
}
