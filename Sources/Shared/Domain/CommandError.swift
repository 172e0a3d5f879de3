/// The reason why a command was refused. The server maps each case to one problem document, in one
/// place.
public enum CommandError: Error, Equatable, Sendable {
    /// There is no session, or it has ended or expired.
    case unauthenticated(String)
    /// The caller may see the item but not do this with it.
    case permissionDenied(String)
    /// There is no such item, or the caller may not know of it. The caller can't tell which.
    case notFound(String)
    case alreadyExists(String)
    /// A value breaks a rule. `field` is the field's name in the request; `reason` distinguishes
    /// the rules that one field can break.
    case invalidArgument(field: String, String, reason: InvalidInputReason? = nil)
    case payloadTooLarge(limitInBytes: Int)
    /// Too many attempts. `retryAfter` is the time until the next one can succeed.
    case rateLimited(retryAfter: Duration)
    /// The request is valid, but the server can't do it now.
    case unavailable(String)
}

/// The stable name of a broken rule, for fields that several rules apply to.
public enum InvalidInputReason: String, GrowingEnum, Sendable, CaseIterable {
    /// The code is the caller's own.
    case ownCode = "own-code"
    /// The caller has the maximum number of contacts.
    case contactsFull = "contacts-full"
    /// The owner of the code has the maximum number of contacts.
    case otherContactsFull = "other-contacts-full"
    /// The last drill began less than a day ago.
    case drillToday = "drill-today"
    /// No responder has accepted.
    case noResponders = "no-responders"
    /// The user has an open alert.
    case alertOpen = "alert-open"
    /// The caller must first request a code, and then send it with the request.
    case codeNeeded = "code-needed"
    /// No such phone number is known. The person may confirm it: `isConfirmed` in the request.
    case confirmNumber = "confirm-number"
    /// What clients decode when the reason is one that only a newer server knows. Never sent.
    case unknown

    public static let fallback = unknown
    /// The reasons that are sent.
    public static let allCases: [InvalidInputReason] = [
        .ownCode, .contactsFull, .otherContactsFull, .drillToday, .noResponders, .alertOpen,
        .codeNeeded, .confirmNumber,
    ]
}
