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
}
