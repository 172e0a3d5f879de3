import Domain

/// An operation of the HTTP API: its request, its answer, its errors, and who may call it.
public struct Endpoint: Sendable, Equatable {
    public enum Method: String, Sendable {
        case get = "GET", put = "PUT", post = "POST", patch = "PATCH", delete = "DELETE"
    }

    public enum Access: Sendable, Equatable {
        case anyone
        /// Requires the header `Authorization: Bearer …` with an access token.
        case session
    }

    /// What an administrator's lock of the account stops. A lock stops invitations, requests,
    /// their acceptance and changes of the profile. Check-ins, schedules, journeys and alerts, and
    /// everything that takes something back, stay.
    public enum Lock: Sendable, Equatable {
        case none
        /// The operation stays for what adds nothing, which the command knows: a change of the
        /// profile that only removes the emergency note or leaves it out of the copy with Google, a
        /// change of roles that only ends roles or withdraws requests, and the acceptance of a role
        /// that is in force.
        case partly
        case whole
    }

    public enum Content: Sendable, Equatable {
        case none
        case json(Schema)
        case bytes(mediaTypes: [String], limit: Int)
        case text(mediaType: String)
    }

    public struct Parameter: Sendable, Equatable {
        public enum Place: String, Sendable { case path, query, header }
        public var name: String
        public var place: Place
        public var schema: Schema
        public var summary: String
    }

    public var method: Method
    /// The path, with `{name}` for each parameter.
    public var path: String
    public var operationID: String
    public var summary: String
    public var access: Access
    public var lock = Lock.none
    public var parameters: [Parameter]
    public var input: Content
    public var isInputOptional = false
    /// True if a POST has the same effect when it is repeated. The other POSTs send or use up a
    /// code, add something, or replace a QR code.
    public var isIdempotentPost = false
    public var output: Content
    public var status: Int
    public var errors: [ErrorCode]

    /// True if an administrator's lock of the account stops this operation.
    public var isStoppedByLock: Bool { lock != .none }
    /// True if the lock stops only a part of the operation, which the command knows.
    public var isStoppedInPart: Bool { lock == .partly }

    /// All errors that a caller must expect, including those of access, bodies and parameters.
    public var allErrors: [ErrorCode] {
        var codes: Set<ErrorCode> = Set(errors).union([.rateLimited, .unavailable])
        if access == .session { codes.insert(.unauthenticated) }
        if input != .none {
            codes.formUnion([.invalidArgument, .payloadTooLarge, .unsupportedMediaType])
        }
        if !parameters.isEmpty { codes.insert(.invalidArgument) }
        if isStoppedByLock { codes.insert(.accountLocked) }
        // The key may belong to another edit.
        if takesIdempotencyKey, access != .anyone { codes.insert(.alreadyExists) }
        return codes.sorted { $0.status < $1.status }
    }

    /// True if a client may retry after a lost answer. GET and DELETE are idempotent by definition,
    /// and PUT carries an id or the whole value. A repeated PATCH could undo a change by another
    /// device.
    public var isRepeatable: Bool {
        switch method {
        case .get, .put, .delete: true
        case .patch: false
        case .post: isIdempotentPost
        }
    }

    public var takesIdempotencyKey: Bool { parameters.contains { $0.name == Self.idempotencyKey } }

    /// The maximum size of a JSON body, in bytes. The largest is a medical note of 16,000 Unicode
    /// scalars, each escaped as 12 bytes.
    public static let bodyLimit = 250_000
    /// The maximum size of a JSON body without a sign-in, in bytes. A passkey may need more.
    public static let openBodyLimit = 16_000
    public static let pictureLimit = 6_000_000
}

/// An endpoint whose bodies have the JSON types `Input` and `Output`.
public struct Route<Input: Payload, Output: Payload>: Sendable {
    public let endpoint: Endpoint

    public init(
        _ method: Endpoint.Method, _ path: String, _ operationID: String, _ summary: String,
        access: Endpoint.Access = .session, lock: Endpoint.Lock = .none,
        parameters: [Endpoint.Parameter] = [], status: Int? = nil, errors: [ErrorCode] = [],
        isIdempotentPost: Bool = false
    ) {
        let input: Endpoint.Content = Input.self == Empty.self ? .none : .json(Input.schema)
        let output: Endpoint.Content = Output.self == Empty.self ? .none : .json(Output.schema)
        var endpoint = Endpoint(
            method: method, path: path, operationID: operationID, summary: summary, access: access,
            lock: lock, parameters: Endpoint.pathParameters(of: path) + parameters, input: input,
            output: output,
            status: status ?? (output == .none ? 204 : 200), errors: errors
        )
        endpoint.isInputOptional = Input.self is any OptionalPayload.Type
        endpoint.isIdempotentPost = isIdempotentPost
        self.endpoint = endpoint
    }
}

extension Endpoint {
    static func pathParameters(of path: String) -> [Parameter] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
            Parameter(
                name: String(part.dropFirst().dropLast()), place: .path, schema: .uuid,
                summary: "An id.")
        }
    }

    public static let idempotencyKey = "Idempotency-Key"
    /// A header of every answer. A new value means that the server's database was restored, so it
    /// may lack data that the client has.
    public static let epoch = "X-LifeSignal-Epoch"
    /// The device's time zone by its IANA name, such as `Europe/Berlin`. Messages to the user give
    /// times in this zone. The server ignores unknown names.
    public static let timeZone = "X-LifeSignal-Time-Zone"
    /// When the device sent a check-in, by its own clock. It shows the server how wrong that clock
    /// is. A header, because older servers reject unknown fields.
    public static let sentAt = "X-LifeSignal-Sent-At"

    static let edit: [Parameter] = [
        Parameter(
            name: idempotencyKey, place: .header, schema: .uuid,
            summary:
                """
                A UUID of the client's for this edit. Sending it again changes nothing and returns \
                the present state.
                """
        )
    ]

    static let codes: [Parameter] = [
        Parameter(
            name: idempotencyKey, place: .header, schema: .uuid,
            summary:
                """
                A UUID of the client's for this request. A repeat with the same key gets the same \
                codes.
                """
        )
    ]

    static let signInAttempt: [Parameter] = [
        Parameter(
            name: idempotencyKey, place: .header, schema: .uuid,
            summary:
                """
                A UUID of the client's for this sign-in. A repeat within 15 minutes gets the same \
                tokens.
                """
        )
    ]

    static let renewal: [Parameter] = [
        Parameter(
            name: idempotencyKey, place: .header, schema: .uuid,
            summary:
                "A UUID of the client's for this renewal. The same one again gets the same tokens.")
    ]

    /// The query parameter that excludes ended alerts.
    public static let onlyOpen = "open"

    static let openAlerts: [Parameter] = [
        Parameter(
            name: onlyOpen, place: .query, schema: .boolean,
            summary: "Whether to list open alerts only; false by default.")
    ]

    /// The query parameter that excludes notifications newer than its moment.
    public static let until = "until"

    static let untilSeen: [Parameter] = [
        Parameter(
            name: until, place: .query, schema: .time,
            summary:
                "The time of the newest notification that was seen. Newer ones stay as they are.")
    ]

    static let page: [Parameter] = [
        Parameter(
            name: "before", place: .query,
            schema: .string(pattern: #"^[0-9]{1,15}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"#),
            summary: "The `next` value of the previous page."
        ),
        Parameter(
            name: "limit", place: .query, schema: .integer(1...200),
            summary: "How many items; 50 by default."),
    ]
}
