import Domain

extension ErrorCode {
    /// The status of HTTP.
    public var status: Int {
        switch self {
        case .unknown: 400
        case .unauthenticated: 401
        case .permissionDenied: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .alreadyExists: 409
        case .payloadTooLarge: 413
        case .unsupportedMediaType: 415
        case .invalidArgument: 422
        case .accountLocked: 423
        case .rateLimited: 429
        case .internal: 500
        case .unavailable: 503
        }
    }

    public var title: String {
        switch self {
        case .unknown: "Refused"
        case .unauthenticated: "Sign in first"
        case .permissionDenied: "Not allowed"
        case .notFound: "Not found"
        case .methodNotAllowed: "Method not allowed"
        case .alreadyExists: "Already exists"
        case .payloadTooLarge: "Too large"
        case .unsupportedMediaType: "Unsupported media type"
        case .invalidArgument: "Invalid argument"
        case .accountLocked: "Account locked"
        case .rateLimited: "Too many requests"
        case .internal: "Internal error"
        case .unavailable: "Unavailable"
        }
    }
}

public struct Problem: Payload, Equatable {
    public static let contentType = "application/problem+json"

    public var type: String
    public var title: String
    public var status: Int
    public var detail: String
    public var code: ErrorCode
    /// The wrong field of the request, for `invalid-argument`.
    public var field: String?
    /// The rule that the field breaks, if several rules apply to it.
    public var reason: InvalidInputReason?
    /// Identifies this request in the server's log.
    public var requestID: String

    public init(
        _ code: ErrorCode, detail: String, field: String? = nil,
        reason: InvalidInputReason? = nil, requestID: String
    ) {
        type = "urn:lifesignal:problem:\(code.rawValue)"
        title = code.title
        status = code.status
        self.detail = detail
        self.code = code
        self.field = field
        self.reason = reason
        self.requestID = requestID
    }

    public static let schema = Schema.object(
        "Problem",
        [
            .required("type", .string()), .required("title", .string()),
            .required("status", .integer(400...599)), .required("detail", .string()),
            .required("code", .enumeration(ErrorCode.allCases.map(\.rawValue))),
            .optional("field", .string()),
            .optional("reason", .enumeration(InvalidInputReason.allCases.map(\.rawValue))),
            .required("requestID", .string()),
        ]
    )
}
