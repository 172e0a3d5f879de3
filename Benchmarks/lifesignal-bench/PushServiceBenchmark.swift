import Cryptography
import Domain
import Foundation
import NIOCore
import Persistence

/// Messages to browsers through a push service: single messages, ten thousand at once, and messages
/// while another push service hangs.
enum PushServiceBenchmark {
    private static let browsers = 10_000
    private static let alerts = 200

    static func run(_ bench: Workbench, into table: inout Table) async throws {
        try await sendBacklog(bench, into: &table)
        try await raiseAlerts(bench, into: &table)
    }

    private static func sendBacklog(_ bench: Workbench, into table: inout Table) async throws {
        printLine("\(2 * browsers) messages for \(browsers) browsers")
        let path = bench.path("pushes.sqlite")
        let people = try await Population.settle(path, count: browsers, sessions: browsers).people
        let service = try await WebhookReceiver()
        defer { service.close() }
        try await register(people, at: "127.0.0.1:\(service.port)", path, bench)
        try await Backlog.queue(path, people.map(\.id), perEndpoint: 2, channel: .webPush)
        let server = try bench.start(database: path, "--allow-private-webhooks")
        defer { server.stop() }
        let early = try await service.take(browsers / 2, patience: .seconds(120))
        let (memory, begun) = (server.memory.now, server.processorTime)
        let times = try await service.take(2 * browsers, patience: .seconds(300)).map(\.time)
        let work = (server.processorTime - begun) / Double(2 * browsers - early.count)
        let growth = Double(server.memory.peak) / Double(memory)
        // The first messages warm up the connections.
        let part = times[(browsers / 5)...]
        let rate = Double(part.count) / times[times.count - 1].timeIntervalSince(part[browsers / 5])
        table.add(
            "\(2 * browsers) waiting messages to one push service", thousands(rate),
            goal: "≥ 2.0 k/s", isMet: rate >= 2_000)
        table.add("processor time for each of them", milliseconds(work))
        table.add(
            "memory at most / after the first \(early.count)",
            String(format: "%.2f (%d MB)", growth, server.memory.peak / 1_000_000),
            goal: "≤ 1.20", isMet: growth <= 1.2)
    }

    /// Raises alerts, each to one responder; then raises alerts while the push service of another
    /// responder hangs.
    private static func raiseAlerts(_ bench: Workbench, into table: inout Table) async throws {
        printLine("\(alerts) alerts, each to a browser")
        let path = bench.path("push-alerts.sqlite")
        let people = try await Population.settle(
            path, count: 4 * alerts, sessions: 4 * alerts
        ).people
        let owners = people[..<(2 * alerts)]
        let (responders, others) = (people[(2 * alerts)..<(3 * alerts)], people[(3 * alerts)...])
        let pairs = owners.enumerated().map { index, owner in
            (owner.id, responders[2 * alerts + index % alerts].id)
        }
        let hanging = zip(owners.suffix(alerts), others).map { ($0.id, $1.id) }
        try await Population.connect(path, pairs + hanging)
        let service = try await WebhookReceiver()
        defer { service.close() }
        let silent = try await WebhookReceiver(host: "127.0.0.2", answers: false)
        defer { silent.close() }
        try await register(Array(responders), at: "127.0.0.1:\(service.port)", path, bench)
        try await register(Array(others), at: "127.0.0.2:\(silent.port)", path, bench)
        let server = try bench.start(database: path, "--allow-private-webhooks")
        defer { server.stop() }
        let load = LoadClient(port: server.port)
        defer { load.close() }
        var delays: [[Double]] = []
        for part in [owners.prefix(alerts), owners.suffix(alerts)] {
            var times: [Double] = []
            for owner in part {
                let before = try await service.take(0, patience: .zero).count
                let start = Date()
                _ = try await load.runOnce(Requests.alert(by: owner))
                let arrival = try await service.take(before + 1, patience: .seconds(30))[before]
                times.append(arrival.time.timeIntervalSince(start))
            }
            delays.append(times)
        }
        let (quiet, beside) = (delays[0], delays[1])
        table.add(
            "alert raised → at the push service, p99 of \(alerts)",
            "\(milliseconds(quiet.percentile(0.99))) (median \(milliseconds(quiet.median)))",
            goal: "≤ 150 ms", isMet: quiet.percentile(0.99) <= 0.15)
        let delay = beside.percentile(0.99) - quiet.percentile(0.99)
        table.add(
            "the same while the service of another responder hangs, p99",
            "\(milliseconds(beside.percentile(0.99))) (median \(milliseconds(beside.median)))",
            goal: "≤ 1 s more", isMet: delay <= 1)
    }

    private static func register(
        _ people: [Population.Person], at host: String, _ path: String, _ bench: Workbench
    ) async throws {
        guard let browser = P256.PrivateKey(random: .system) else {
            throw BenchError("there is no key")
        }
        let server = try bench.start(database: path, "--allow-private-webhooks")
        defer { server.stop() }
        let load = LoadClient(port: server.port)
        defer { load.close() }
        let keys = (
            p256dh: Base64URL.encode(browser.publicKey.bytes),
            auth: Base64URL.encode(RandomBytes.system(16))
        )
        let turn = Turn()
        let connections = 16
        let result = try await load.run(
            connections: connections, seconds: 300, count: people.count / connections + 1
        ) {
            let number = turn.next() % people.count
            let url = "http://\(host)/\(number)"
            let body = """
                {"kind":"webPush","url":"\(url)",\
                "keys":{"p256dh":"\(keys.p256dh)","auth":"\(keys.auth)"}}
                """
            let id = people[number].id.uuid.uuidString
            return ByteBuffer(
                string: """
                    PUT /v1/devices/\(id) HTTP/1.1\r\nHost: localhost\r\n\
                    Authorization: Bearer \(people[number].token)\r\n\
                    Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\
                    \(body)
                    """)
        }
        guard result.latencies.count >= people.count else {
            throw BenchError("\(result.latencies.count) of \(people.count) browsers are there")
        }
    }
}
