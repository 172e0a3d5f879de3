import Domain
import Foundation
import NIOCore

/// One alert to 2,000 open streams: 200 responders, the maximum, with ten devices each.
enum StreamBenchmark {
    private static let responders = 200
    private static let devices = 10
    private static let alerts = 10

    static func run(_ bench: Workbench, into table: inout Table) async throws {
        let count = responders * devices
        printLine("One alert to \(count) open streams")
        let path = bench.path("streams.sqlite")
        let people = try await Population.settle(
            path, count: responders + alerts, sessions: responders + alerts
        ).people
        let (owners, watchers) = (people.prefix(alerts), people.suffix(responders))
        try await Population.connect(
            path, owners.flatMap { owner in watchers.map { (owner.id, $0.id) } })
        let server = try bench.start(database: path)
        defer { server.stop() }
        let load = LoadClient(port: server.port)
        defer { load.close() }
        _ = try await load.run(connections: 8, seconds: 1, request: { Requests.live })
        let before = server.memory.now
        let streams = StreamClient(lookingFor: "\nevent: alert\n")
        defer { streams.close() }
        try await streams.open(
            watchers.flatMap { Array(repeating: $0.token, count: devices) }, port: server.port)
        let perStream = Double(server.memory.now - before) / Double(count) / 1024
        var times: [Double] = []
        for owner in owners {
            let start = Date()
            let request =
                """
                PUT /v1/alerts/\(UUID().uuidString) HTTP/1.1\r\nHost: localhost\r\nAuthorization: \
                Bearer \(owner.token)\r\nContent-Length: 0\r\n\r\n
                """
            _ = try await load.runOnce(ByteBuffer(string: request))
            let arrivals = try await streams.allArrivals(count)
            times.append((arrivals.values.max() ?? start).timeIntervalSince(start))
            try await Task.sleep(for: .milliseconds(500))
        }
        table.add(
            "one alert to \(count) streams: raise → last stream has it (median of \(alerts))",
            "\(milliseconds(times.median)) (worst \(milliseconds(times.max() ?? 0)))",
            goal: "≤ 150 ms", isMet: times.median <= 0.15)
        table.add(
            "memory a stream", String(format: "%.1f KiB", perStream), goal: "≤ 45 KiB",
            isMet: perStream <= 45)
    }
}

extension LoadClient {
    /// Sends one request on its own connection. Returns the time to its answer, in seconds.
    func runOnce(_ request: ByteBuffer) async throws -> Double {
        try await run(connections: 1, seconds: 10, count: 1, request: { request }).latencies.first
            ?? .nan
    }
}
