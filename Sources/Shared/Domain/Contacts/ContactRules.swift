public enum ContactRules {
    /// The most contacts a user can have (product.md, "Contacts"). Requests count as well.
    public static let limit = 200
    /// The most pending requests of one person. The limit prevents mass requests.
    public static let openRequests = 20
    /// Adding oneself is refused.
    public static let ownCode = CommandError.invalidArgument(
        field: "code", RefusalWords.ownCode.message, reason: .ownCode)

    /// Checks whether a person in danger may remove a responder without a message (product.md,
    /// "Consent"). The responder must be told during an open alert of the remover, because the
    /// alert ends for them, and also if the remover is their responder in turn. A mere request by
    /// the responder doesn't protect them, so it doesn't prevent the quiet removal.
    public static func checkQuietRemoval(
        _ relation: Relation, duringAlert: Bool
    ) throws(CommandError) {
        guard !duringAlert, !relation.dependent.isInForce else {
            throw .permissionDenied(RefusalWords.quietRemoval.detail)
        }
    }
}
