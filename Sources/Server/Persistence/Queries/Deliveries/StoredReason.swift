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
