import Foundation

/// PostgreSQL's own benchmark program. It runs the statements of a check-in in the same order.
struct PGBench {
    private static let connections = 16
    /// The approximate rate of each connection.
    private static let transactionsPerSecond = 80.0
    private let arguments: [String]

    /// - Parameter users: the number of users, numbered from 1.
    init(_ cluster: BenchCluster, _ name: String, users: Int) throws {
        let user = BenchCluster.id(":user")
        let checkIn = BenchCluster.id("':c-' || :number")
        let script = """
            \\set user random(1, \(users))
            \\set number random(1, 9000000000000000)
            BEGIN;
            SELECT 1 FROM users WHERE id = \(user) FOR NO KEY UPDATE;
            SELECT interval_seconds, remind_two_hours, remind_thirty_minutes, last_check_in_at,
                reminders_sent, missed_told,
                EXISTS (SELECT 1 FROM check_ins WHERE user_id = \(user) AND id = \(checkIn)),
                EXISTS (SELECT 1 FROM alerts WHERE user_id = \(user) AND kind = 'missedCheckIn'
                    AND ended_at IS NULL),
                EXISTS (SELECT 1 FROM contacts WHERE user_id = \(user)
                    AND responder_in_force = 1),
                EXISTS (SELECT 1 FROM pings WHERE user_id = \(user) AND dependent_id = \(user)
                    AND state = 'pending')
                FROM schedules WHERE user_id = \(user);
            INSERT INTO check_ins (user_id, id, occurred_at, received_at, deadline_at)
                VALUES (\(user), \(checkIn), :number, :number, :number);
            UPDATE schedules SET last_check_in_at = :number, reminders_sent = 0, missed_told = 0,
                next_due_at = 9000000000000 + (:number)::bigint % 1000000000, heard_at = :number
                WHERE user_id = \(user);
            INSERT INTO event_numbers (user_id, newest) VALUES (\(user), 1)
                ON CONFLICT (user_id) DO UPDATE SET newest = event_numbers.newest + 1
                RETURNING newest \\gset
            INSERT INTO events (user_id, sequence, kind, happened_at, data)
                VALUES (\(user), :newest, 'checkIn', :number, repeat('x', 130));
            COMMIT;

            """
        let path = cluster.bench.path("check-in.sql")
        try script.replacing("':c-'", with: "'c-'")
            .write(toFile: path, atomically: true, encoding: .utf8)
        arguments = [
            "pgbench", "--no-vacuum", "--protocol", "prepared", "--client", "\(Self.connections)",
            "--jobs", "2", "--file", path, "\(cluster.url)/\(name)",
        ]
    }

    /// Returns the transactions per second. pgbench gets a number of transactions instead of a
    /// duration. It would end a duration by SIGALRM, which is blocked here: tasks run on threads
    /// that block signals, and the child process inherits their signal mask.
    func run(seconds: Double) throws -> Double {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let count = max(1, Int(seconds * Self.transactionsPerSecond))
        process.arguments =
            Array(arguments.dropLast()) + ["--transactions", "\(count)"] + arguments.suffix(1)
        process.standardOutput = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let line = text.split(separator: "\n").first { $0.hasPrefix("tps = ") }
        guard let rate = line?.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) })
        else { throw BenchError("pgbench failed") }
        return rate
    }
}
