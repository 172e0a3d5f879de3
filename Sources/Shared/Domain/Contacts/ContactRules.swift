public enum ContactRules {
    /// The most contacts a user can have (product.md, "Contacts"). Requests count as well.
    public static let limit = 200
    /// The most pending requests of one person. The limit prevents mass requests.
    public static let openRequests = 20
    /// The refusal for a user who scans their own code.
    public static let ownCode = CommandError.invalidArgument(
        field: "code", RefusalWords.ownCode.message, reason: .ownCode)

    /// Checks whether a person in danger may remove a responder without notifying them (product.md,
    /// "Consent"). The responder must be notified if the remover has an open alert, because it ends
    /// for the responder. They must also be notified if the remover is their responder in turn; a
    /// pending request for that role isn't enough.
    public static func checkQuietRemoval(
        _ relation: Relation, duringAlert: Bool
    ) throws(CommandError) {
        guard !duringAlert, !relation.dependent.isInForce else {
            throw .permissionDenied(RefusalWords.quietRemoval.detail)
        }
    }
}
