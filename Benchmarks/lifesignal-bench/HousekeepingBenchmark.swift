import Domain
import Foundation
import Persistence

/// Deadlines and check-ins while the server deletes old rows and people export their history.
enum HousekeepingBenchmark {
    private static let due = 200
    private static let exporters = 12
    private static let users = 5_000
    private static let connections = 16

    private struct Measurements {
        var delays: [Double] = []
        var latencies: [Double] = []
        var exports = 0
    }

    static func run(_ bench: Workbench, into table: inout Table) async throws {
        let (quietPath, busyPath) = (bench.path("quiet.sqlite"), bench.path("busy.sqlite"))
        let quiet = try await Population.settle(quietPath, count: users, sessions: users).people
        let busy = try await Population.settle(busyPath, count: users, sessions: users).people
        printLine(
            """
            Writing 1,000,000 ledger rows, 100,000 notifications and 12 histories of 60,000 \
            check-ins
            """
        )
        try await Leftovers.write(busyPath, owners: Array(busy.prefix(exporters)))
        let calm = try await measure(bench, quietPath, quiet, exporting: [])
        let loaded = try await measure(
            bench, busyPath, busy, exporting: Array(busy.prefix(exporters)))
        let told = loaded.delays.percentile(0.99)
        table.add(
            "1,000,000 old ledger rows, 100,000 expired notifications, 12 people exporting 60,000 "
                + "check-ins: deadline → told, p99",
            "\(milliseconds(told)) (quiet \(milliseconds(calm.delays.percentile(0.99))); "
                + "\(loaded.exports) exports)", goal: "≤ 1 s", isMet: told <= 1)
        let (before, after) = (calm.latencies.percentile(0.99), loaded.latencies.percentile(0.99))
        let ratio = after / before
        table.add(
            "check-in p99 meanwhile / quiet",
            "\(String(format: "%.2f", ratio)) (\(milliseconds(after)) / \(milliseconds(before)))",
            goal: "≤ 2; ≤ 50 ms", isMet: ratio <= 2 && after <= 0.05)
    }

    private static func measure(
        _ bench: Workbench, _ path: String, _ people: [Population.Person],
        exporting exporters: [Population.Person]
    ) async throws -> Measurements {
        let dependents = Array(people[100..<(100 + due)])
        let responders = Array(people[(100 + due)..<(100 + 2 * due)])
        let others = Array(people[(100 + 2 * due)...])
        try await Population.connect(path, zip(dependents, responders).map { ($0.id, $1.id) })
        let first = Date().addingTimeInterval(12)
        let moments = dependents.indices.map { first.addingTimeInterval(Double($0) / 25) }
        try await Population.setDeadline(
            path, of: zip(dependents, moments).map { ($0.id, Date(milliseconds: $1.milliseconds)) })
        let server = try bench.start(database: path)
        defer { server.stop() }
        let port = server.port
        let streams = StreamClient(lookingFor: "\nevent: alert\n")
        defer { streams.close() }
        try await streams.open(responders.map(\.token), port: port)
        let client = LoadClient(port: port)
        defer { client.close() }
        let end = first.addingTimeInterval(Double(due) / 25 + 2)
        async let exports = export(exporters, port: port, until: end)
        try await Task.sleep(for: .seconds(max(0, first.timeIntervalSinceNow - 1)))
        async let load = client.run(
            connections: connections, seconds: Double(due) / 25 + 1,
            request: Requests.checkIn(of: others))
        let arrivals = try await streams.allArrivals(due)
        var measurements = Measurements(latencies: try await load.latencies)
        measurements.delays = arrivals.map { $0.value.timeIntervalSince(moments[$0.key]) }
        measurements.exports = try await exports
        guard measurements.delays.allSatisfy({ $0 > -0.002 }) else {
            throw BenchError("a responder was told before the deadline")
        }
        return measurements
    }

    /// Downloads exports for each person in turn. Returns the number of complete exports.
    private static func export(
        _ people: [Population.Person], port: Int, until end: Date
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for person in people {
                group.addTask {
                    var done = 0
                    while Date() < end {
                        let size = try await download(person, port: port, until: end)
                        if size > 1_000_000 { done += 1 }
                        try await Task.sleep(for: .milliseconds(100))
                    }
                    return done
                }
            }
            return try await group.reduce(0, +)
        }
    }

    /// Returns the size of one export in bytes, downloaded by curl in its own process.
    private static func download(
        _ person: Population.Person, port: Int, until end: Date
    ) async throws -> Int {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        process.arguments = [
            "-s", "-o", "/dev/null", "-w", "%{size_download}", "--max-time",
            String(Int(max(1, end.timeIntervalSinceNow + 1))), "-H",
            "Authorization: Bearer \(person.token)", "http://127.0.0.1:\(port)/v1/me/export",
        ]
        process.standardOutput = output
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { _ in
                let text = String(
                    decoding: output.fileHandleForReading.availableData, as: UTF8.self)
                continuation.resume(returning: Int(text) ?? 0)
            }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }
}

/// Rows that have accumulated in a year without clean-up.
private enum Leftovers {
    static func write(_ path: String, owners: [Population.Person]) async throws {
        let engine = try SQLiteEngine(path: path, now: { Date() })
        let (old, recent) = (Date().adding(.zero - .days(400)), Date().adding(.zero - .days(60)))
        for part in 0..<20 {
            let owner = owners[part % owners.count].id
            try await engine.write(about: .none) { transaction in
                try transaction.execute(
                    """
                    INSERT INTO deliveries (user_id, id, notification_id, channel, recipient_name,
                        alert_user_id, alert_id, purpose, priority, state, attempts, useful_until,
                        created_at, updated_at)
                    WITH RECURSIVE counter (n) AS (
                        SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < 50000)
                    SELECT $1, randomblob(16), randomblob(16), 'sms', 'Somebody', $2,
                        randomblob(16),
                        'alertNews', 0, 'accepted', 1, $3, $4, $5 FROM counter
                    """,
                    [.id(owner), .id(owner), .date(old), .date(old), .date(old)])
                try transaction.execute(
                    """
                    INSERT INTO notifications (user_id, id, type, title, body, created_at)
                    WITH RECURSIVE counter (n) AS (
                        SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < 5000)
                    SELECT $1, randomblob(16), 'checkIn', 'Old', 'News', $2 FROM counter
                    """,
                    [.id(owner), .date(recent)])
            }
        }
        for owner in owners {
            let now = Date()
            _ = try await engine.write(about: .none) { transaction in
                try transaction.execute(
                    """
                    INSERT INTO check_ins (user_id, id, occurred_at, received_at, deadline_at)
                    WITH RECURSIVE counter (n) AS (
                        SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < 60000)
                    SELECT $1, randomblob(16), $2 - 60000 * n, $3 - 60000 * n, $4 FROM counter
                    """,
                    [.id(owner.id), .date(now), .date(now), .date(now)])
            }
        }
        try engine.close()
    }
}
