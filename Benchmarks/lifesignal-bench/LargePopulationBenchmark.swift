import Domain
import Foundation

/// The cost of a large population. Compares the time of a check-in with a small population, and
/// measures the pages of `admin people` and a thousand deadlines within one second.
enum LargePopulationBenchmark {
    private static let due = 1_000
    private static let sessions = 20_000
    /// How many consecutive pages of `admin people` are read for each search.
    private static let pages = 20

    private struct Page: Decodable {
        var next: String?
    }

    static func run(
        _ bench: Workbench, growth: Bool, pages: Bool, deadlines: Bool, into table: inout Table
    ) async throws {
        let path = bench.path("large.sqlite")
        printLine("Settling \(bench.largePopulation) users")
        let people = try await Population.settle(
            path, count: bench.largePopulation, sessions: sessions
        ).people
        if growth { try await compare(bench, path, people, into: &table) }
        if pages { try listPeople(bench, path, into: &table) }
        if deadlines { try await passDeadlines(bench, path, people, into: &table) }
    }

    private static func compare(
        _ bench: Workbench, _ large: String, _ many: [Population.Person], into table: inout Table
    ) async throws {
        let small = bench.path("small.sqlite")
        let few = try await Population.settle(small, count: 10_000, sessions: 10_000).people
        let servers = [
            (try bench.start(database: small), few), (try bench.start(database: large), many),
        ]
        defer { for server in servers { server.0.stop() } }
        let clients = servers.map { LoadClient(port: $0.0.port) }
        defer { for client in clients { client.close() } }
        var rates: [[Double]] = [[], []]
        for round in 0..<4 {
            for (index, server) in servers.enumerated() {
                let rate = try await clients[index].run(
                    connections: 64, seconds: bench.seconds, request: Requests.checkIn(of: server.1)
                ).perSecond
                if round > 0 { rates[index].append(rate) }
            }
        }
        let ratio = zip(rates[0], rates[1]).map { $0 / $1 }.median
        table.add(
            "check-in cost, \(bench.largePopulation) users / 10,000 users",
            """
            \(String(format: "%.2f", ratio)) (\(thousands(rates[1].median)) and \
            \(thousands(rates[0].median)))
            """,
            goal: "≤ 1.3", isMet: ratio <= 1.3)
    }

    /// Measures whole commands, with the start of the program.
    private static func listPeople(
        _ bench: Workbench, _ path: String, into table: inout Table
    ) throws {
        let server = try bench.start(database: path)
        defer { server.stop() }
        let number = "+1\(2_000_000_000 + bench.largePopulation / 2)"
        let middle = "\(Data(number.utf8).base64EncodedString()).\(UUID().uuidString.lowercased())"
        let searches: [(search: [String], after: String?)] = [
            ([], nil), ([], middle), (["Person"], nil), (["Person 9"], nil), (["+120"], nil),
        ]
        var times: [Double] = []
        for (search, start) in searches {
            var after = start
            for _ in 0..<Self.pages {
                var arguments = ["admin", "people", "--limit", "200", "--json", "--database", path]
                arguments += search
                if let after { arguments += ["--after", after] }
                let answer = try bench.runProgram(arguments)
                times.append(answer.seconds)
                after = try JSONDecoder().decode(Page.self, from: answer.output).next
                if after == nil { break }
            }
        }
        let slowest = times.max() ?? .nan
        table.add(
            """
            admin people, \(bench.largePopulation) people: a page of 200, slowest of \
            \(times.count)
            """,
            "\(milliseconds(slowest)) (median \(milliseconds(times.median)))", goal: "≤ 0.2 s",
            isMet: slowest <= 0.2)
    }

    private static func passDeadlines(
        _ bench: Workbench, _ path: String, _ people: [Population.Person], into table: inout Table
    ) async throws {
        let dependents = Array(people.prefix(due))
        let responders = Array(people[due..<(2 * due)])
        let others = Array(people[(2 * due)...])
        try await Population.connect(path, zip(dependents, responders).map { ($0.id, $1.id) })
        let first = Date().addingTimeInterval(25)
        let moments = dependents.indices.map { first.addingTimeInterval(Double($0) / Double(due)) }
        try await Population.setDeadline(
            path, of: zip(dependents, moments).map { ($0.id, Date(milliseconds: $1.milliseconds)) })
        let server = try bench.start(database: path)
        defer { server.stop() }
        let streams = StreamClient(lookingFor: "\nevent: alert\n")
        defer { streams.close() }
        try await streams.open(responders.map(\.token), port: server.port)
        let client = LoadClient(port: server.port)
        defer { client.close() }
        let lead = max(0, first.timeIntervalSinceNow - 2)
        try await Task.sleep(for: .seconds(lead))
        async let load = client.run(
            connections: 64, seconds: 6, request: Requests.checkIn(of: others))
        let arrivals = try await streams.allArrivals(due)
        let checkIns = try await load
        let delays = arrivals.map { $0.value.timeIntervalSince(moments[$0.key]) }
        guard delays.allSatisfy({ $0 > -0.002 }) else {
            throw BenchError("a responder was told before the deadline")
        }
        let p99 = delays.percentile(0.99)
        table.add(
            """
            \(bench.largePopulation) users armed, \(due) due in one second: deadline → on the \
            responder's stream, p99
            """,
            """
            \(milliseconds(p99)) (median \(milliseconds(delays.median)); \
            \(thousands(checkIns.perSecond)) check-ins meanwhile)
            """,
            goal: "≤ 1 s", isMet: p99 <= 1
        )
        let peak = Double(server.memory.peak) / 1_048_576
        table.add(
            "server memory at that, at most", String(format: "%.0f MB", peak), goal: "≤ 512 MB",
            isMet: peak <= 512)
    }
}
