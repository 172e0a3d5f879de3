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
    var pings: [Ping]
    /// The people that the person has agreed to watch over, with the times of agreement.
    var dependents: [UserID: Date]

    var openAlert: Alert? { alerts.first { $0.isManual && $0.end == nil } }
}

extension DeviceServer {
    /// Returns a responder's acts on an alert, oldest first.
    func acts(of responder: UserID, on alert: AlertID) async throws -> [AlertAction.Kind] {
        try await engine.read { database in
            try database.query(
                """
                SELECT kind FROM alert_actions WHERE alert_id = $1 AND responder_id = $2
                ORDER BY happened_at
                """, [.id(alert), .id(responder)]
            ) { try AlertAction.Kind(rawValue: $0["kind"]) }
            .compactMap(\.self)
        }
    }

    /// Returns nil if the server doesn't know the person.
    func truth(of user: UserID) async throws -> DeviceTruth? {
        try await engine.read { database in
            let schedule = try database.first(
                "SELECT last_check_in_at, interval_seconds FROM schedules WHERE user_id = $1",
                [.id(user)]
            ) {
                (
                    last: try $0["last_check_in_at"] as Date?,
                    interval: try $0["interval_seconds"] as Int
                )
            }
            let name: String? = try database.value(
                "SELECT name FROM users WHERE id = $1", [.id(user)])
            guard let schedule, let name else { return nil }
            return DeviceTruth(
                lastCheckIn: schedule.last, interval: schedule.interval, name: name,
                checkIns: try database.values(
                    "SELECT occurred_at FROM check_ins WHERE user_id = $1", [.id(user)]),
                alerts: try database.query(
                    "SELECT id, kind, started_at, ended_at FROM alerts WHERE user_id = $1",
                    [.id(user)]
                ) {
                    DeviceTruth.Alert(
                        id: try $0["id"], isManual: try $0["kind"] == "manual",
                        start: try $0["started_at"], end: try $0["ended_at"])
                },
                pings: try database.query(
                    """
                    SELECT id, dependent_id, created_at, state, settled_at FROM pings
                    WHERE user_id = $1 AND responder_id = $1
                    """, [.id(user)]
                ) {
                    DeviceTruth.Ping(
                        id: try $0["id"], dependent: try $0["dependent_id"],
                        createdAt: try $0["created_at"], isPending: try $0["state"] == "pending",
                        settledAt: try $0["settled_at"])
                },
                dependents: Dictionary(
                    try database.query(
                        """
                        SELECT contact_id, dependent_since FROM contacts
                        WHERE user_id = $1 AND dependent_in_force = 1
                        """, [.id(user)]
                    ) { (try $0["contact_id"] as UserID, try $0["dependent_since"] as Date) },
                    uniquingKeysWith: { $1 }))
        }
    }
}
