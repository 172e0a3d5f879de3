import Domain
import Foundation
import Persistence

/// Whether the loops are awake when something is due. The observer reads all rows that wait for a
/// time, and compares them with the passes.
extension Simulator {
    private static let deadlines = """
        SELECT MIN(due) AS due FROM (
            SELECT next_due_at AS due FROM schedules WHERE next_due_at IS NOT NULL
            UNION ALL SELECT next_due_at FROM alerts WHERE next_due_at IS NOT NULL
            UNION ALL SELECT next_call_at FROM alerts WHERE next_call_at IS NOT NULL
            UNION ALL SELECT next_due_at FROM journeys WHERE next_due_at IS NOT NULL
            UNION ALL SELECT next_due_at FROM drills WHERE next_due_at IS NOT NULL
            UNION ALL SELECT expires_at FROM pings WHERE state = 'pending') AS waiting
        """

    /// Reads the rows that wait, if a commit or a pass has changed something.
    func readRows(_ server: Server) async {
        guard server.disk.condition != .dead, let lastPasses = server.loops.takeStale() else {
            return
        }
        let channels = server.channels
        let rows = try? await server.disk.read { connection -> [ServerLoops.Loop: Date] in
            var rows: [ServerLoops.Loop: Date] = [:]
            let deadline: Date? = try connection.value(Self.deadlines, [])
            rows[.deadlines] = deadline
            for (lane, kinds) in channels.enumerated() {
                let loop = ServerLoops.Loop.lane(lane)
                let list = kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")
                let lastPass: Date = lastPasses[loop] ?? .distantPast
                let due: Date? = try connection.value(
                    """
                    SELECT MIN(next_try_at) AS due FROM deliveries
                    WHERE next_try_at IS NOT NULL AND next_try_at >= $1 AND channel IN (\(list))
                    """, [.date(lastPass)])
                rows[loop] = due
            }
            return rows
        }
        if let rows { server.loops.note(rows, at: server.clock.now()) }
    }

    /// Checks, before a pass, that its first row hasn't waited longer than a second. Doesn't judge
    /// rows that refuse changes, nor the time just after trouble with the disk or the clock.
    func checkDelay(of loop: ServerLoops.Loop, _ server: Server, at serverNow: Date) {
        let delay = server.loops.delay(of: loop, at: serverNow)
        guard delay > Invariant.tolerance, isClockSound, brokenPeople.isEmpty,
            now.since(max(moments.runningSince, moments.diskFullUntil)) > .minutes(1)
        else { return }
        note("prompt", "the \(loop) slept for \(delay.milliseconds) ms while a row was due")
    }
}
