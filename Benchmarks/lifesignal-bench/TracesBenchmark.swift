import Foundation

/// What traces cost: check-ins a second on a server that records 1 % of all traces, compared with a
/// server that records none.
enum TracesBenchmark {
    private static let connections = 64
    private static let count = 10_000
    private static let pairs = 10
    /// The length of a round, in seconds. Short rounds in turn meet the same load of the machine.
    private static let seconds = 2.0
    private static let percent = 1

    static func run(_ bench: Workbench, into table: inout Table) async throws {
        printLine("Check-ins with and without traces, \(pairs) rounds each, in turn")
        let collector = try await WebhookReceiver(keepsBodies: true)
        defer { collector.close() }
        let without = try await side(bench, "untraced.sqlite")
        defer { without.stop() }
        let with = try await side(
            bench, "traced.sqlite", "--traces-url", "http://127.0.0.1:\(collector.port)",
            "--traces-percent", "\(percent)")
        defer { with.stop() }
        for side in [without, with] { _ = try await side.checkIns(seconds: seconds) }
        var rates: (with: [Double], without: [Double]) = ([], [])
        var tracedCheckIns = 0
        for pair in 0..<pairs {
            // In the order A B B A, a machine that becomes slower affects both alike.
            let isTracedFirst = pair % 2 == 1
            for isTraced in [isTracedFirst, !isTracedFirst] {
                let result = try await (isTraced ? with : without).checkIns(seconds: seconds)
                if isTraced {
                    rates.with.append(result.perSecond)
                    tracedCheckIns += result.latencies.count
                } else {
                    rates.without.append(result.perSecond)
                }
            }
        }
        let spans = try await countSpans(
            atLeast: tracedCheckIns * percent / 200, in: collector, patience: .seconds(20))
        let ratio = rates.with.median / rates.without.median
        table.add(
            "check-ins a second with traces (\(percent) %) / without",
            """
            \(String(format: "%.3f", ratio)) (\(thousands(rates.with.median)) / \
            \(thousands(rates.without.median)); \(spans) spans of \(tracedCheckIns) check-ins)
            """,
            goal: "≥ 0.97", isMet: ratio >= 0.97)
    }

    /// Waits for this many spans, half as many as the sample should have: traces that never leave
    /// the server would cost too little. Returns how many have come.
    private static func countSpans(
        atLeast count: Int, in collector: WebhookReceiver, patience: Duration
    ) async throws -> Int {
        let start = ContinuousClock.now
        while true {
            let bodies = try await collector.take(0, patience: .zero)
                .filter { $0.path == "/v1/traces" }
                .map { String(decoding: $0.body, as: UTF8.self) }
            let spans = bodies.reduce(0) { sum, body in
                sum + body.components(separatedBy: "\"spanId\":").count - 1
            }
            if spans >= max(1, count) { return spans }
            guard ContinuousClock.now - start < patience else {
                throw BenchError("\(spans) of at least \(count) spans came")
            }
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    private struct Side {
        let server: MeasuredServer
        let client: LoadClient
        let people: [Population.Person]

        func checkIns(seconds: Double) async throws -> LoadClient.Result {
            try await client.run(
                connections: connections, seconds: seconds, request: Requests.checkIn(of: people))
        }

        func stop() {
            client.close()
            server.stop()
        }
    }

    private static func side(
        _ bench: Workbench, _ name: String, _ options: String...
    ) async throws -> Side {
        let path = bench.path(name)
        let people = try await Population.settle(path, count: count, sessions: count).people
        let server = try MeasuredServer(program: bench.program, database: path, options: options)
        return Side(server: server, client: LoadClient(port: server.port), people: people)
    }
}
