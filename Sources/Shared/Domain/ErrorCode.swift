/// The stable name of an error, the same on the wire, in the clients and in the documentation.
public enum ErrorCode: String, GrowingEnum, Sendable, CaseIterable {
    case unauthenticated
    case permissionDenied = "permission-denied"
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case alreadyExists = "already-exists"
    case payloadTooLarge = "payload-too-large"
    case unsupportedMediaType = "unsupported-media-type"
    case invalidArgument = "invalid-argument"
    /// An administrator has locked the account.
    case accountLocked = "account-locked"
    case rateLimited = "rate-limited"
    case `internal` = "internal"
    case unavailable
    case unknown

    public static let fallback = unknown
    /// The codes that are sent.
    public static let allCases: [ErrorCode] = [
        .unauthenticated, .permissionDenied, .notFound, .methodNotAllowed, .alreadyExists,
        .payloadTooLarge, .unsupportedMediaType, .invalidArgument, .accountLocked, .rateLimited,
        .internal, .unavailable,
    ]
}
