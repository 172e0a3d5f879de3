/// Why a command was refused. The server maps each case to one problem document, in one place.
public enum CommandError: Error, Equatable, Sendable {
    /// There is no session, or it has ended or expired.
    case unauthenticated(String)
    /// The caller may see the thing but not do this with it.
    case permissionDenied(String)
    /// There is no such thing, or it is none of the caller's business: the two answers are the
    /// same.
    case notFound(String)
    case alreadyExists(String)
    /// A value breaks a rule; `field` names it as the caller wrote it. `reason` tells apart the
    /// rules that one field can break.
    case invalidArgument(field: String, String, reason: InvalidInputReason? = nil)
    case payloadTooLarge(limitInBytes: Int)
    /// Too many attempts; `retryAfter` says when the next one can succeed.
    case rateLimited(retryAfter: Duration)
    /// Nothing is wrong with the request; the server cannot do it now.
    case unavailable(String)
}

/// The stable name of a broken rule, where the field alone does not tell which one it is.
public enum InvalidInputReason: String, GrowingEnum, Sendable, CaseIterable {
    /// The code is the caller's own.
    case ownCode = "own-code"
    /// The caller has as many contacts as there can be.
    case contactsFull = "contacts-full"
    /// The owner of the code has as many contacts as there can be.
    case otherContactsFull = "other-contacts-full"
    /// The last drill began less than a day ago.
    case drillToday = "drill-today"
    /// Nobody has agreed to be a responder.
    case noResponders = "no-responders"
    /// The user has an open alert.
    case alertOpen = "alert-open"
    /// A client's word for a reason of a newer server; never sent.
    case unknown

    public static let fallback = unknown
    /// The reasons that are sent.
    public static let allCases: [InvalidInputReason] = [
        .ownCode, .contactsFull, .otherContactsFull, .drillToday, .noResponders, .alertOpen,
    ]
}
