import Domain

/// Reasons of withdrawn messages in the ledger, in addition to those of `DeliveryReason`.
enum StoredReason {
    static let newerNews = "newer-news"
    static let checkedIn = "checked-in"

    /// The reasons of attempts that the provider may have accepted, as literals for `IN (…)`.
    static let uncertain: String = {
        let kinds = DeliveryReason.Kind.allCases.map { DeliveryReason($0) }.filter(\.isUncertain)
        let reasons = kinds + DeliveryReason.uncertainStatuses.map(DeliveryReason.http)
        return reasons.map(\.description).literals
    }()

    /// The SQL condition of a message whose retries ended after an attempt that the provider may
    /// have accepted.
    static let isPerhapsSent = """
        state IN ('superseded', 'givenUp') AND attempts > 0 AND reason IN (\(uncertain))
        """

    /// The new reason of a withdrawn message, as SQL. If the provider may have accepted an earlier
    /// attempt, the message was perhaps sent.
    /// - Parameter reason: an SQL expression, for a message that was surely not sent.
    static func ofWithdrawal(_ reason: String) -> String {
        """
        CASE WHEN attempts > 0 AND reason IN (\(uncertain)) THEN '\(DeliveryReason.unconfirmed)'
            ELSE \(reason) END
        """
    }
}

extension Transaction {
    /// The beginning of a statement that withdraws messages with the reason `$1` at the time `$2`.
    /// An attempt in progress is not retried.
    static let withdrawal = """
        UPDATE deliveries SET reason = \(StoredReason.ofWithdrawal("$1")),
            superseded = 1, updated_at = $2,
            state = CASE WHEN state = 'sending' THEN state ELSE 'superseded' END,
            next_try_at = CASE WHEN state = 'sending' THEN next_try_at END
        """
}
