public enum ContactRules {
    /// The most contacts a user can have (product.md, "Contacts"). Requests count as well.
    public static let limit = 200
    /// The most pending requests of one person, to prevent mass requests.
    public static let openRequests = 20
    /// The refusal for a user who scans their own code.
    public static let ownCode = CommandError.invalidArgument(
        field: "code", RefusalWords.ownCode.message, reason: .ownCode)

    /// Throws `permissionDenied` unless the responder may be removed without a message (product.md,
    /// "Consent"). An open alert of the remover requires a message, because the alert ends for the
    /// responder. So does the loss of the remover as a responder. A pending request for that role
    /// doesn't.
    public static func checkQuietRemoval(
        _ relation: Relation, duringAlert: Bool
    ) throws(CommandError) {
        guard !duringAlert, !relation.dependent.isInForce else {
            throw .permissionDenied(RefusalWords.quietRemoval.detail)
        }
    }
}
