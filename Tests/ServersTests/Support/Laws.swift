import Domain
import Foundation
import Persistence
import TestDatabase

/// Invariants of the database while no command runs. Each has a query that finds violations.
enum Law: String, CaseIterable, Sendable {
    case eventNumbers = "The numbers of a log have no gap and no double."
    case newestNumber = "The newest number is the counter's."
    case oneBegin = "Somebody hears of an alert's beginning once on each channel."
    case noNewsAfterTheEnd = "Nothing but the end is sent of an alert that has ended."
    case endAfterBeginning = "An alert ends after it began."
    case missed = "Who has missed a deadline has an open alert."
    case onTime = "Who has time left has no open alert of a missed check-in."
    case repeats = "An open alert is due again."
    case overdue = "Who is overdue on a journey has an open alert."
    case arrived = "An open alert about a journey is that of a running one."
    case pings = "A settled ping was settled after it was asked."
    case settled = "What did not arrive has a reason."
    case dangling = "Nothing is left of an account that was deleted."

    var query: String {
        switch self {
        case .eventNumbers:
            """
            SELECT 1 FROM events GROUP BY user_id
            HAVING MAX(sequence) - MIN(sequence) + 1 <> COUNT(*)
            """
        case .newestNumber:
            """
            SELECT 1 FROM events e GROUP BY user_id HAVING MAX(sequence) <>
                (SELECT newest FROM event_numbers n WHERE n.user_id = e.user_id)
            """
        case .oneBegin:
            """
            SELECT 1 FROM deliveries WHERE purpose = 'alertBegin'
            GROUP BY alert_user_id, alert_id, user_id, channel, device_id HAVING COUNT(*) > 1
            """
        case .noNewsAfterTheEnd:
            """
            SELECT 1 FROM deliveries d
            JOIN alerts a ON a.user_id = d.alert_user_id AND a.id = d.alert_id
            WHERE d.purpose IN ('alertBegin', 'alertRepeat', 'alertNews', 'alertUntaken')
                AND a.ended_at IS NOT NULL AND d.created_at > a.ended_at
            """
        case .endAfterBeginning:
            "SELECT 1 FROM alerts WHERE ended_at < started_at OR acknowledged_at < received_at"
        case .missed:
            """
            SELECT 1 FROM schedules s
            WHERE s.last_check_in_at + s.interval_seconds * 1000 <= $1 AND NOT EXISTS
                (SELECT 1 FROM alerts a WHERE a.user_id = s.user_id AND a.kind = 'missedCheckIn'
                    AND a.ended_at IS NULL)
            """
        case .onTime:
            """
            SELECT 1 FROM schedules s JOIN alerts a ON a.user_id = s.user_id
            WHERE a.kind = 'missedCheckIn' AND a.ended_at IS NULL
                AND s.last_check_in_at + s.interval_seconds * 1000 > $1
            """
        case .repeats: "SELECT 1 FROM alerts WHERE ended_at IS NULL AND next_due_at IS NULL"
        case .overdue:
            """
            SELECT 1 FROM journeys j WHERE j.ended_at IS NULL AND j.deadline_at <= $1
                AND NOT EXISTS (SELECT 1 FROM alerts a WHERE a.user_id = j.user_id
                    AND a.id = j.alert_id AND a.ended_at IS NULL)
            """
        case .arrived:
            """
            SELECT 1 FROM alerts a WHERE a.kind = 'journey' AND a.ended_at IS NULL AND NOT EXISTS
                (SELECT 1 FROM journeys j WHERE j.user_id = a.user_id AND j.alert_id = a.id
                    AND j.ended_at IS NULL)
            """
        case .pings: "SELECT 1 FROM pings WHERE settled_at < created_at"
        case .settled:
            """
            SELECT 1 FROM deliveries WHERE state IN ('superseded', 'givenUp', 'failed')
                AND reason IS NULL
            """
        case .dangling:
            ShardingRules.personColumns.sorted { $0.key < $1.key }.map { table, column in
                """
                SELECT 1 FROM \(table) t WHERE NOT (\(Self.mayStay[table] ?? "FALSE"))
                    AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = t.\(column))
                """
            }.joined(separator: " UNION ALL ")
        }
    }

    /// Rows that survive the deletion of an account, because an alert's owner still sees who was
    /// notified.
    private static let mayStay = [
        "deliveries": """
        alert_id IS NOT NULL AND next_try_at IS NULL AND recipient_name = 'A former contact'
        """
    ]

    func breaches(in connection: any SQLConnection, at now: Date) throws -> Int {
        let values: [SQLValue] = query.contains("$1") ? [.date(now)] : []
        return try connection.query(query, values) { _ in }.count
    }
}
