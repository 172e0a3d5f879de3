import Domain
import Foundation
import GRDBSQLite

/// Check-ins under load, compared with the maximum rates of the same server and the same disk.
enum LoadBenchmark {
    private static let connections = 64
    private static let rounds = 3

    static func run(_ bench: Workbench, into table: inout Table) async throws {
        printLine("Check-ins by \(connections) connections")
        let path = bench.path("load.sqlite")
        let people = try await Population.settle(path, count: 10_000, sessions: 10_000).people
        let raw = try await RawSQLite.measure(bench, seconds: bench.seconds)
        let server = try bench.start(database: path)
        defer { server.stop() }
        let client = LoadClient(port: server.port)
        defer { client.close() }
        _ = try await client.run(
            connections: connections, seconds: 2, request: Requests.checkIn(of: people))
        var live: [Double] = []
        var checkIns: [Double] = []
        var latencies: [Double] = []
        var (liveTime, checkInTime, written) = (0.0, 0.0, 0.0)
        var liveCount = 0
        for _ in 0..<rounds {
            let start = server.processorTime
            let answers = try await client.run(
                connections: connections, seconds: bench.seconds, request: { Requests.live })
            live.append(answers.perSecond)
            liveCount += answers.latencies.count
            let (middle, writtenBefore) = (server.processorTime, server.writtenBytes)
            liveTime += middle - start
            let result = try await client.run(
                connections: connections, seconds: bench.seconds,
                request: Requests.checkIn(of: people))
            checkIns.append(result.perSecond)
            latencies += result.latencies
            checkInTime += server.processorTime - middle
            written += server.writtenBytes - writtenBefore
        }
        let ratio = zip(checkIns, live).map { $0 / $1 }.median
        table.add(
            "durable check-ins a second / GET /health/live",
            """
            \(String(format: "%.2f", ratio)) (\(thousands(checkIns.median)) / \
            \(thousands(live.median)))
            """,
            goal: "≥ 0.33", isMet: ratio >= 0.33)
        let rawRatio = checkIns.median / raw
        table.add(
            "the same / raw SQLite, same rows in groups of 100",
            "\(String(format: "%.2f", rawRatio)) (raw \(thousands(raw)))", goal: "≥ 0.25",
            isMet: rawRatio >= 0.25)
        let count = Double(latencies.count)
        let (time, liveEach) = (checkInTime / count, liveTime / Double(liveCount))
        table.add(
            "processor time of a check-in / GET /health/live",
            String(
                format: "%.1f (%.0f µs / %.0f µs)", time / liveEach, time * 1e6, liveEach * 1e6))
        table.add(
            "bytes written for a check-in", String(format: "%.1f KB", written / count / 1000),
            goal: "≤ 20 KB", isMet: written / count <= 20_000)
        let p99 = latencies.percentile(0.99)
        table.add(
            "check-in p99 at that load", milliseconds(p99), goal: "≤ 50 ms", isMet: p99 <= 0.05)
    }
}

/// Commits the rows of a check-in with plain SQLite, from one thread.
enum RawSQLite {
    static func measure(_ bench: Workbench, seconds: Double) async throws -> Double {
        let path = bench.path("raw.sqlite")
        let people = try await Population.settle(path, count: 10_000, sessions: 10_000).people
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK, let handle else {
            throw BenchError("SQLite can't open \(path)")
        }
        defer { sqlite3_close(handle) }
        for pragma in [
            "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA cache_size = -96000",
        ] { sqlite3_exec(handle, pragma, nil, nil, nil) }
        let insert = try prepare(
            handle,
            """
            INSERT INTO check_ins (user_id, id, occurred_at, received_at, deadline_at)
            VALUES (?, ?, ?, ?, ?)
            """
        )
        let update = try prepare(
            handle,
            """
            UPDATE schedules SET last_check_in_at = ?, reminders_sent = 0, missed_told = 0,
                next_due_at = ? WHERE user_id = ?
            """
        )
        let event = try prepare(
            handle,
            """
            INSERT INTO events (user_id, sequence, kind, happened_at, data)
            VALUES (?, ?, 'c', ?, '0 604800000')
            """
        )
        defer { for statement in [insert, update, event] { sqlite3_finalize(statement) } }
        var sequences = [Int64](repeating: 0, count: people.count)
        var done = 0
        let start = ContinuousClock.now
        while (ContinuousClock.now - start) / .seconds(1) < seconds {
            sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil)
            for _ in 0..<100 {
                let number = Int.random(in: 0..<people.count)
                let user = people[number].id.uuid
                let now = Date().milliseconds
                sequences[number] += 1
                try run(insert) {
                    bind(user, $0, 1); bind(UUID(), $0, 2);
                    for place in 3...5 { sqlite3_bind_int64($0, Int32(place), now) }
                }
                try run(update) {
                    sqlite3_bind_int64($0, 1, now); sqlite3_bind_int64($0, 2, now + 604_800_000);
                    bind(user, $0, 3)
                }
                let sequence = sequences[number]
                try run(event) { statement in
                    bind(user, statement, 1)
                    sqlite3_bind_int64(statement, 2, sequence)
                    sqlite3_bind_int64(statement, 3, now)
                }
            }
            sqlite3_exec(handle, "COMMIT", nil, nil, nil)
            done += 100
        }
        return Double(done) / ((ContinuousClock.now - start) / .seconds(1))
    }

    private static func prepare(_ handle: OpaquePointer, _ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement
        else { throw BenchError("SQLite refused: \(sql)") }
        return statement
    }

    private static func run(_ statement: OpaquePointer, bind: (OpaquePointer) -> Void) throws {
        bind(statement)
        guard sqlite3_step(statement) == SQLITE_DONE else {
            throw BenchError("SQLite refused a row")
        }
        sqlite3_reset(statement)
    }

    private static func bind(_ uuid: UUID, _ statement: OpaquePointer, _ index: Int32) {
        withUnsafeBytes(of: uuid.uuid) { bytes in
            _ = sqlite3_bind_blob(
                statement, index, bytes.baseAddress, 16,
                unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        }
    }
}
