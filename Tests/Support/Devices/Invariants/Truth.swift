import Domain
import Foundation
import Persistence

/// One person's state, read from the server's database.
struct DeviceTruth: Sendable {
    struct Alert: Sendable {
        var id: AlertID
        var isManual: Bool
        var start: Date
        var end: Date?
    }
    struct Ping: Sendable {
        var id: PingID
        var dependent: UserID
        var createdAt: Date
        var isPending: Bool
        var settledAt: Date?
    }

    var lastCheckIn: Date?
    var interval: Int
    var name: String
    var checkIns: [Date]
    var alerts: [Alert]
    /// Those that they sent.
    var pings: [Ping]

    var openAlert: Alert? { alerts.first { $0.isManual && $0.end == nil } }
}

extension DeviceServer {
    /// nil for somebody whom the server does not know (yet).
    func truth(of user: UserID) async throws -> DeviceTruth? {
        try await engine.read { database in
            let schedule = try database.first(
                "SELECT last_check_in_at, interval_seconds FROM schedules WHERE user_id = $1",
                [.id(user)]
            ) { ($0.optionalDate(0), Int($0.integer(1))) }
            let name = try database.first(
                "SELECT name FROM users WHERE id = $1", [.id(user)]
            ) { $0.text(0) }
            guard let schedule, let name else { return nil }
            return DeviceTruth(
                lastCheckIn: schedule.0, interval: schedule.1, name: name,
                checkIns: try database.query(
                    "SELECT occurred_at FROM check_ins WHERE user_id = $1", [.id(user)]
                ) { $0.date(0) },
                alerts: try database.query(
                    "SELECT id, kind, started_at, ended_at FROM alerts WHERE user_id = $1",
                    [.id(user)]
                ) {
                    DeviceTruth.Alert(
                        id: $0.id(0), isManual: $0.text(1) == "manual", start: $0.date(2),
                        end: $0.optionalDate(3))
                },
                pings: try database.query(
                    """
                    SELECT id, dependent_id, created_at, state, settled_at FROM pings
                    WHERE responder_id = $1
                    """, [.id(user)]
                ) {
                    DeviceTruth.Ping(
                        id: $0.id(0), dependent: $0.id(1), createdAt: $0.date(2),
                        isPending: $0.text(3) == "pending", settledAt: $0.optionalDate(4))
                })
        }
    }
}
