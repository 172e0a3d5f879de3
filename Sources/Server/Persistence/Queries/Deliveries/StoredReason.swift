/// Reasons of withdrawn messages in the ledger, in addition to those of `DeliveryReason`.
enum StoredReason {
    static let newerNews = "newer-news"
    static let checkedIn = "checked-in"
}
