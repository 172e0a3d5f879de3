/// One method of one path.
public struct Endpoint: Sendable, Equatable {
    public enum Method: String, Sendable {
        case get = "GET", put = "PUT", post = "POST", patch = "PATCH", delete = "DELETE"
    }

    public enum Access: Sendable, Equatable {
        case anyone
        /// An access token in the header `Authorization: Bearer …`.
        case session
    }

    /// A body: none, a JSON payload, bytes of one of these media types, or text.
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
    public var parameters: [Parameter]
    public var input: Content
    /// True if the body may be left out.
    public var isInputOptional = false
    /// True for a POST that may be repeated: it only computes an answer, or settles something that
    /// has an id and stays settled. The other POSTs send a code, use one up, add something, or
    /// replace a QR code.
    public var isIdempotentPost = false
    public var output: Content
    public var status: Int
    /// The errors that are particular to this endpoint.
    public var errors: [ErrorCode]

    /// The errors that a caller must expect: the endpoint's own, and those that follow from its
    /// access, its bodies and its parameters.
    public var allErrors: [ErrorCode] {
        var codes: Set<ErrorCode> = Set(errors).union([.rateLimited, .unavailable])
        if access == .session { codes.insert(.unauthenticated) }
        if input != .none {
            codes.formUnion([.invalidArgument, .payloadTooLarge, .unsupportedMediaType])
        }
        if !parameters.isEmpty { codes.insert(.invalidArgument) }
        // The key may have been used for another edit.
        if takesIdempotencyKey, access != .anyone { codes.insert(.alreadyExists) }
        return codes.sorted { $0.status < $1.status }
    }

    /// True if a second request after a lost answer has the same effect as one. GET and DELETE are
    /// idempotent by definition. PUT carries an id or the whole value. PATCH could undo what
    /// another device has written in between.
    public var isRepeatable: Bool {
        switch method {
        case .get, .put, .delete: true
        case .patch: false
        case .post: isIdempotentPost
        }
    }

    /// True if the endpoint takes an `Idempotency-Key`.
    public var takesIdempotencyKey: Bool { parameters.contains { $0.name == Self.idempotencyKey } }

    public static let bodyLimit = 1_000_000
    public static let pictureLimit = 6_000_000
}

/// An endpoint whose bodies are JSON, with their types.
public struct Route<Input: Payload, Output: Payload>: Sendable {
    public let endpoint: Endpoint

    public init(
        _ method: Endpoint.Method, _ path: String, _ operationID: String, _ summary: String,
        access: Endpoint.Access = .session,
        parameters: [Endpoint.Parameter] = [], status: Int? = nil, errors: [ErrorCode] = [],
        isIdempotentPost: Bool = false
    ) {
        let input: Endpoint.Content = Input.self == Empty.self ? .none : .json(Input.schema)
        let output: Endpoint.Content = Output.self == Empty.self ? .none : .json(Output.schema)
        var endpoint = Endpoint(
            method: method, path: path, operationID: operationID, summary: summary, access: access,
            parameters: Endpoint.pathParameters(of: path) + parameters, input: input,
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

    /// The header that makes an edit idempotent.
    public static let idempotencyKey = "Idempotency-Key"
    /// A header of every answer. A new value means that the server's database was restored and may
    /// lack what the client knows.
    public static let epoch = "X-LifeSignal-Epoch"
    /// A header of a device's requests: the IANA name of its time zone, such as `Europe/Berlin`.
    /// Messages to its user give times in this zone. The server ignores unknown names.
    public static let timeZone = "X-LifeSignal-Time-Zone"
    /// A header of a check-in: the time when the device sent it, by its own clock. It shows the
    /// server how wrong that clock is. It is a header because older servers reject unknown fields.
    public static let sentAt = "X-LifeSignal-Sent-At"

    static let edit: [Parameter] = [
        Parameter(
            name: idempotencyKey, place: .header, schema: .uuid,
            summary:
                """
                A UUID of the client's for this edit. The same one again changes nothing and gets \
                the present state.
                """
        )
    ]

    static let renewal: [Parameter] = [
        Parameter(
            name: idempotencyKey, place: .header, schema: .uuid,
            summary:
                "A UUID of the client's for this renewal. The same one again gets the same tokens.")
    ]

    /// The parameter that excludes ended alerts.
    public static let onlyOpen = "open"

    static let openAlerts: [Parameter] = [
        Parameter(
            name: onlyOpen, place: .query, schema: .boolean,
            summary: "Whether to list open alerts only; false unless told.")
    ]

    /// The parameter that excludes notifications newer than this moment.
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
            summary: "The `next` of the page before this one."
        ),
        Parameter(
            name: "limit", place: .query, schema: .integer(1...200),
            summary: "How many items; 50 unless told."),
    ]
}
