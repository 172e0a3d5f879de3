import Domain
import Foundation

/// What became of an alert's messages to some people.
public struct AlertOutcomes: Equatable, Sendable {
    /// The people who have got a message, or may have got one.
    public var heard: Set<UserID> = []
    /// The other people with an alarm that has failed for good on each channel. A newer alarm that
    /// is on its way changes this only when one of its messages arrives.
    public var lost: Set<UserID> = []
}

extension SQLConnection {
    public func outcomes(of alert: AlertKey, to people: [UserID]) throws -> AlertOutcomes {
        let rows = try query(
            about: people,
            {
                """
                SELECT user_id, notification_id,
                    COUNT(CASE WHEN \(Self.mayHaveArrived) THEN 1 END) AS arrived,
                    COUNT(CASE WHEN \(Self.hasFailed) AND purpose IN (\(Self.alarms))
                        THEN 1 END) AS failed,
                    COUNT(CASE WHEN \(Self.hasFailed) THEN NULL ELSE 1 END) AS others
                FROM deliveries
                WHERE alert_user_id = $1 AND alert_id = $2 AND channel <> 'console'
                    AND (channel <> 'stream' OR \(Self.hasArrived)) AND user_id \($0)
                GROUP BY user_id, notification_id
                """
            }, [.id(alert.owner), .id(alert.id)]
        ) { row in
            (
                person: try row["user_id"] as UserID, arrived: try row["arrived"] as Int,
                failed: try row["failed"] as Int, others: try row["others"] as Int
            )
        }
        var outcomes = AlertOutcomes()
        outcomes.heard = Set(rows.filter { $0.arrived > 0 }.map(\.person))
        outcomes.lost = Set(rows.filter { $0.failed > 0 && $0.others == 0 }.map(\.person))
            .subtracting(outcomes.heard)
        return outcomes
    }

    private static var alarms: String {
        DeliveryPurpose.allCases.filter(Ladder.isAlarm).literals
    }

    private static var hasFailed: String { "state IN ('failed', 'givenUp')" }

    private static var hasArrived: String {
        "state IN ('accepted', 'received', 'seen', 'acknowledged')"
    }

    /// The SQL condition for messages that have reached the person, or whose ledger row proves that
    /// the person can be reached: the phone rang or was busy, the person acted, a limit spared an
    /// SMS because of an earlier one, or the provider perhaps took the message.
    private static var mayHaveArrived: String {
        let proofs: [DeliveryReason.Kind] = [
            .lineBusy, .opened, .answered, .declined, .notificationDeleted,
        ]
        return """
            \(hasArrived)
            OR reason IN (\((DeliveryReason.Kind.ofRingingCalls + proofs).literals))
            OR state = 'superseded' AND channel <> 'voice' AND reason = '\(StormRules.reason)'
            OR \(StoredReason.isPerhapsSent)
            """
    }
}
