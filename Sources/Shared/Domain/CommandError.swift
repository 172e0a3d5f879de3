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
    /// A value breaks a rule; `field` names it as the caller wrote it.
    case invalidArgument(field: String, String)
    case payloadTooLarge(limitInBytes: Int)
    /// Too many attempts; `retryAfter` says when the next one can succeed.
    case rateLimited(retryAfter: Duration)
    /// Nothing is wrong with the request; the server cannot do it now.
    case unavailable(String)
}
