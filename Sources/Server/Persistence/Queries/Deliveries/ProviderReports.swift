import Domain
import Foundation

/// A provider's report after it accepted a message.
public struct ProviderReport: Sendable, Equatable {
    public var state: DeliveryState
    public var reason: DeliveryReason?
    public var providerID: String?

    public init(state: DeliveryState, reason: DeliveryReason? = nil, providerID: String? = nil) {
        self.state = state
        self.reason = reason
        self.providerID = providerID
    }
}

extension Transaction {
    /// Records a report by the delivery's id. Returns true if the row has changed. A report may
    /// come before the provider's response to the attempt. A message that has arrived keeps its
    /// state. A failure counts only for the newest attempt, or for the message that the row was
    /// accepted with: after a lost answer, that may be the message of an older attempt. A message
    /// that was perhaps sent before its retries ended becomes accepted. A report of arrival also
    /// counts after the person has opened the app.
    public func reportDelivery(
        _ id: DeliveryID, of user: UserID, attempt: Int?, _ report: ProviderReport
    ) throws -> Bool {
        var values: [SQLValue] = report.values(at: now) + [.id(user), .id(id)]
        var condition = "user_id = $5 AND id = $6 AND \(report.condition)"
        if report.state == .failed, let attempt {
            values.append(.int(attempt))
            condition += " AND (attempts = $7 OR state = 'accepted' AND provider_id = $3)"
        }
        guard try enter(condition, values) else { return false }
        try note(report.providerID, of: id, user)
        try goOn(after: report, id, of: user)
        return true
    }

    private func goOn(
        after report: ProviderReport, _ id: DeliveryID, of user: UserID
    ) throws {
        switch report.state {
        case .seen: try prove(id, of: user)
        case .failed: try advanceSteps(of: [user])
        default: break
        }
    }

    /// Records a report by the provider's id of the message.
    public func reportDelivery(_ report: ProviderReport) throws -> Bool {
        guard let providerID = report.providerID else { return false }
        return try deliveries(ofProvider: providerID).reduce(false) { hasChanged, delivery in
            let changed = try enter(
                "user_id = $5 AND id = $6 AND provider_id = $7 AND \(report.condition)",
                report.values(at: now) + [
                    .id(delivery.user), .id(delivery.id), .text(providerID),
                ])
            if changed { try goOn(after: report, delivery.id, of: delivery.user) }
            return changed || hasChanged
        }
    }

    /// Stores the provider's id of a message, so that later reports find its row.
    func note(_ providerID: String?, of delivery: DeliveryID, _ user: UserID) throws {
        guard let providerID else { return }
        try execute(
            """
            INSERT INTO provider_ids (provider_id, user_id, delivery_id, created_at)
            VALUES ($1, $2, $3, $4) ON CONFLICT (provider_id, user_id, delivery_id) DO NOTHING
            """,
            [.text(providerID), .id(user), .id(delivery), .date(now)])
    }

    private func enter(_ condition: String, _ values: [SQLValue]) throws -> Bool {
        try execute(
            """
            UPDATE deliveries SET state = $1, reason = $2, provider_id = COALESCE($3, provider_id),
                updated_at = $4, next_try_at = NULL
            WHERE \(condition)
            """, values) > 0
    }
}

extension SQLConnection {
    fileprivate func deliveries(
        ofProvider id: String
    ) throws -> [(user: UserID, id: DeliveryID)] {
        try query(
            "SELECT user_id, delivery_id FROM provider_ids WHERE provider_id = $1", [.text(id)]
        ) { (user: try $0["user_id"], id: try $0["delivery_id"]) }
    }
}

extension Subjects {
    /// The owner of the alert that a failed message was about, because the report may bring the
    /// alert's next call forward. Nobody for other reports.
    public static func report(
        _ report: ProviderReport, about delivery: DeliveryID, of user: UserID
    ) -> Subjects {
        guard report.state == .failed else { return .none }
        return Subjects([], isRepeatable: true) { connection in
            try connection.alert(ofDelivery: delivery, of: user).map { [$0.owner] } ?? []
        }
    }

    /// Like `report(_:about:of:)`, by the provider's id of the message.
    public static func report(_ report: ProviderReport) -> Subjects {
        guard report.state == .failed, let providerID = report.providerID else { return .none }
        return Subjects([], isRepeatable: true) { connection in
            try connection.deliveries(ofProvider: providerID).compactMap {
                try connection.alert(ofDelivery: $0.id, of: $0.user)?.owner
            }
        }
    }
}

extension ProviderReport {
    fileprivate func values(at now: Date) -> [SQLValue] {
        let text = state == .failed || reason == .declined ? "\(reason ?? .other)" : nil
        return [
            .text(state.rawValue), text.map { .text($0) } ?? .null,
            providerID.map { .text($0) } ?? .null, .date(now),
        ]
    }

    fileprivate var condition: String {
        switch state {
        case .seen: "state <> 'acknowledged' AND (state <> 'seen' OR reason = 'opened')"
        case .failed: "state IN ('sending', 'accepted')"
        default:
            "(state IN ('queued', 'sending', 'retrying') OR \(StoredReason.isPerhapsSent))"
        }
    }
}
