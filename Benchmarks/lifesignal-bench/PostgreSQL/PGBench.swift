import Foundation

/// PostgreSQL's own benchmark with the statements of a check-in, in their order.
struct PGBench {
    private static let connections = 16
    private let arguments: [String]

    /// - Parameter users: how many there are, numbered from 1.
    init(_ cluster: BenchCluster, _ name: String, users: Int) throws {
        let user = BenchCluster.id(":user")
        let checkIn = BenchCluster.id("':c-' || :number")
        let script = """
            \\set user random(1, \(users))
            \\set number random(1, 9000000000000000)
            BEGIN;
            SELECT 1 FROM users WHERE id = \(user) FOR NO KEY UPDATE;
            SELECT id, occurred_at, received_at, deadline_at FROM check_ins
                WHERE user_id = \(user) AND id = \(checkIn);
            SELECT interval_seconds, remind_two_hours, remind_thirty_minutes, last_check_in_at,
                reminders_sent, missed_told FROM schedules WHERE user_id = \(user);
            INSERT INTO check_ins (user_id, id, occurred_at, received_at, deadline_at)
                VALUES (\(user), \(checkIn), :number, :number, :number);
            SELECT * FROM alerts WHERE user_id = \(user) AND kind = 'missedCheckIn'
                AND ended_at IS NULL;
            UPDATE schedules SET last_check_in_at = :number, reminders_sent = 0, missed_told = 0,
                next_due_at = 9000000000000 + (:number)::bigint % 1000000000, heard_at = :number
                WHERE user_id = \(user);
            SELECT high_id FROM contacts WHERE low_id = \(user) AND high_is_responder = 1
                UNION ALL SELECT low_id FROM contacts WHERE high_id = \(user)
                    AND low_is_responder = 1;
            SELECT * FROM pings WHERE dependent_id = \(user) AND state = 'pending'
                ORDER BY created_at;
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

    /// Transactions a second.
    func run(seconds: Double) throws -> Double {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            Array(arguments.dropLast()) + ["--time", "\(max(1, Int(seconds)))"]
            + arguments.suffix(1)
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
