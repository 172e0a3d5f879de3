import Domain
import Foundation

/// Something a provider says after it took a message.
public struct ProviderReport: Sendable, Equatable {
    public var state: DeliveryState
    public var reason: DeliveryReason?
    /// The provider's name for the message.
    public var providerID: String?

    public init(state: DeliveryState, reason: DeliveryReason? = nil, providerID: String? = nil) {
        self.state = state
        self.reason = reason
        self.providerID = providerID
    }
}

extension Transaction {
    /// Enters a report by our own id, so that one that comes before the answer to its try counts.
    /// Later states stay: what has arrived has arrived, and a failure counts only for the newest
    /// try. Returns whether anything has changed.
    public func reportDelivery(
        _ id: DeliveryID, of user: UserID, attempt: Int?, _ report: ProviderReport
    ) throws -> Bool {
        var values: [SQLValue] = report.values(at: now) + [.id(user), .id(id)]
        var condition = "user_id = $5 AND id = $6 AND \(report.condition)"
        if report.state == .failed, let attempt {
            values.append(.int(attempt))
            condition += " AND attempts = $7"
        }
        return try enter(condition, values)
    }

    /// Enters a report by the provider's name for the message.
    public func reportDelivery(_ report: ProviderReport) throws -> Bool {
        guard let providerID = report.providerID else { return false }
        return try enter(
            "provider_id = $5 AND \(report.condition)", report.values(at: now) + [.text(providerID)]
        )
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

extension ProviderReport {
    fileprivate func values(at now: Date) -> [SQLValue] {
        let text = state == .failed ? "\(reason ?? .other)" : nil
        return [
            .text(state.rawValue), text.map { .text($0) } ?? .null,
            providerID.map { .text($0) } ?? .null, .date(now),
        ]
    }

    fileprivate var condition: String {
        switch state {
        case .seen: "state NOT IN ('seen', 'acknowledged')"
        case .failed: "state IN ('sending', 'accepted')"
        default: "state IN ('queued', 'sending', 'retrying')"
        }
    }
}
