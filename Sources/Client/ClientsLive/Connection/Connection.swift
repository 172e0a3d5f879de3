import API
import Domain
import Foundation

/// The routes of the API over a transport, in the name of whoever is signed in.
///
/// Every call throws `ClientFailure`, `CancellationError`, or what the token store throws when it
/// can't be read.
public final class Connection: Sendable {
    public struct Options: Sendable {
        public var retry = RetryPolicy()
        /// The timeout of one try.
        public var timeout: Duration = .seconds(20)
        /// The timeout of one try that carries a picture.
        public var pictureTimeout: Duration = .seconds(90)
        /// The IANA name of the user's time zone, for the times in messages to them; nil if it is
        /// not known.
        public var timeZone: @Sendable () -> String? = { nil }

        public init() {}
    }

    /// The sessions that the server has ended, each once; for one reader. A sign-out that the user
    /// asked for is not among them.
    public let endedSessions: AsyncStream<SessionID>

    let clock: ClientClock
    let random: @Sendable () -> Double
    private let transport: any Transport
    let options: Options
    let keeper: SessionKeeper
    /// The user of every call; nil for the user who is signed in when it is made.
    let user: UserID?
    /// Notices a restored server.
    let epoch = EpochWitness()

    /// - Parameter random: draws from 0..<1.
    public init(
        transport: any Transport, store: any TokenStore, clock: ClientClock = .continuous,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        options: Options = Options()
    ) {
        let (endedSessions, ended) = AsyncStream.makeStream(
            of: SessionID.self, bufferingPolicy: .bufferingNewest(8))
        self.endedSessions = endedSessions
        self.transport = transport
        self.clock = clock
        self.random = random
        self.options = options
        keeper = SessionKeeper(transport: transport, store: store, ended: ended)
        user = nil
    }

    private init(_ other: Connection, of user: UserID) {
        endedSessions = other.endedSessions
        transport = other.transport
        clock = other.clock
        random = other.random
        options = other.options
        keeper = other.keeper
        self.user = user
    }

    /// The same, for one user: once somebody else is signed in, its calls throw `sessionEnded`.
    /// An action of one user is never sent in another's name.
    func bound(to user: UserID) -> Connection { Connection(self, of: user) }

    // MARK: Calls

    /// - Parameters:
    ///   - id: stands for `{id}` in the path.
    ///   - key: makes an edit repeatable, where the route takes one.
    ///   - retry: another policy than the connection's.
    @discardableResult
    public func call<Input, Output>(
        _ route: Route<Input, Output>, _ input: Input, id: UUID? = nil, key: UUID? = nil,
        retry: RetryPolicy? = nil
    ) async throws -> Output {
        var apiRequest = APIRequest(
            route.endpoint, id: id, body: try .json(input), timeout: options.timeout)
        if let key, route.endpoint.takesIdempotencyKey {
            apiRequest.request.headers[Endpoint.idempotencyKey] = key.uuidString.lowercased()
            apiRequest.request.isRepeatable = true
        }
        return try APIReply.decode(Output.self, from: try await perform(apiRequest, retry: retry))
    }

    @discardableResult
    public func call<Input: OptionalPayload, Output>(
        _ route: Route<Input, Output>, id: UUID? = nil, query: [String: String] = [:],
        retry: RetryPolicy? = nil
    ) async throws -> Output {
        let apiRequest = APIRequest(
            route.endpoint, id: id, query: query, body: try .json(Input()),
            timeout: options.timeout)
        return try APIReply.decode(Output.self, from: try await perform(apiRequest, retry: retry))
    }

    /// Sends bytes and reads JSON: `Routes.putPicture`, `Routes.decodeQRCode`.
    public func upload<Output: Payload>(
        _ endpoint: Endpoint, _ bytes: Data, mediaType: String, retry: RetryPolicy? = nil
    ) async throws -> Output {
        let apiRequest = APIRequest(
            endpoint, body: .init(bytes: bytes, mediaType: mediaType),
            timeout: options.pictureTimeout)
        return try APIReply.decode(Output.self, from: try await perform(apiRequest, retry: retry))
    }

    /// Reads bytes and what they are: `Routes.picture`, `Routes.qrCodePicture`.
    public func download(_ endpoint: Endpoint, id: UUID? = nil, retry: RetryPolicy? = nil)
        async throws -> (bytes: Data, mediaType: String)
    {
        let answer = try await perform(
            APIRequest(endpoint, id: id, timeout: options.pictureTimeout), retry: retry)
        return (answer.body, answer.headers["content-type"] ?? "application/octet-stream")
    }

    /// Opens a stream; it is not tried again by itself.
    func open(_ endpoint: Endpoint, headers: [String: String]) async throws -> TransportStream {
        try await inChildTask { [self] in try await opened(endpoint, headers: headers) }
    }

    private func opened(_ endpoint: Endpoint, headers: [String: String]) async throws
        -> TransportStream
    {
        var request = APIRequest(endpoint, timeout: options.timeout).request
        request.headers.merge(headers) { $1 }
        var tokens = try await tokens()
        var stream = try await transport.stream(signed(request, tokens))
        await epoch.see(stream.headers)
        if stream.status == 401 {
            tokens = try await keeper.renew(tokens)
            stream = try await transport.stream(signed(request, tokens))
        }
        guard stream.status == endpoint.status else {
            // The body is not read: nothing limits how long it takes to arrive.
            throw APIReply.failure(
                of: TransportResponse(status: stream.status, headers: stream.headers))
        }
        return stream
    }

    // MARK: Tries

    private func perform(_ apiRequest: APIRequest, retry: RetryPolicy?) async throws
        -> TransportResponse
    {
        try await inChildTask { [self] in try await performed(apiRequest, retry: retry) }
    }

    private func performed(_ apiRequest: APIRequest, retry: RetryPolicy?) async throws
        -> TransportResponse
    {
        let policy = retry ?? options.retry
        let start = clock.now()
        var attempt = 0
        var caller = user
        while true {
            attempt += 1
            do {
                return try await once(
                    apiRequest, by: &caller,
                    within: policy.attempts > 1
                        ? policy.deadline - (clock.now() - start) : apiRequest.request.timeout)
            } catch let failure as ClientFailure {
                // An earlier try has deleted it.
                if attempt > 1, apiRequest.endpoint.method == .delete,
                    apiRequest.endpoint.output == .none,
                    failure.code == .notFound
                {
                    return TransportResponse(status: apiRequest.endpoint.status)
                }
                guard apiRequest.request.isRepeatable,
                    let pause = policy.pause(after: failure, attempt: attempt, random: random()),
                    clock.now() - start + pause < policy.deadline
                else { throw failure }
                try await clock.sleep(pause)
            }
        }
    }

    /// - Parameter caller: set by the first try that has one.
    private func once(_ apiRequest: APIRequest, by caller: inout UserID?, within left: Duration)
        async throws
        -> TransportResponse
    {
        var request = apiRequest.request
        if apiRequest.request.isRepeatable {
            request.timeout = max(.milliseconds(1), min(request.timeout, left))
        }
        guard apiRequest.endpoint.access == .session else {
            return try APIReply.accepted(
                try await transport.send(request), for: apiRequest.endpoint)
        }
        var tokens = try await tokens(of: caller)
        caller = tokens.userID
        var answer = try await transport.send(signed(request, tokens))
        // The epoch comes before a renewal: a restored server may not know the session any more.
        await epoch.see(answer.headers)
        // Twice: between a renewal and the next try the tokens can be renewed by another process.
        for _ in 0..<2 where answer.status == 401 {
            guard let renewed = try await renewed(tokens, for: apiRequest.endpoint) else { break }
            tokens = renewed
            answer = try await transport.send(signed(request, tokens))
        }
        return try APIReply.accepted(answer, for: apiRequest.endpoint)
    }

    /// The request in the name of whoever is signed in. Throws when nobody is.
    func signed(_ apiRequest: APIRequest) async throws -> TransportRequest {
        signed(apiRequest.request, try await tokens())
    }

    private func signed(_ request: TransportRequest, _ tokens: SessionTokens) -> TransportRequest {
        var request = request.with(tokens)
        request.headers[Endpoint.timeZone] = options.timeZone()
        return request
    }

    /// nil when the refusal was not about the tokens.
    private func renewed(_ refused: SessionTokens, for endpoint: Endpoint) async throws
        -> SessionTokens?
    {
        guard endpoint == Routes.changePhoneNumber.endpoint else {
            return try await keeper.renew(refused)
        }
        // Here 401 can also mean that the code was wrong, and sending it again would use up another
        // of its five tries.
        _ = try await call(Routes.profile)
        let tokens = try await tokens(of: refused.userID)
        return tokens == refused ? nil : tokens
    }

    private func tokens(of caller: UserID? = nil) async throws -> SessionTokens {
        let tokens = try await keeper.tokens()
        guard caller ?? user ?? tokens.userID == tokens.userID else {
            throw ClientFailure.sessionEnded
        }
        return tokens
    }
}
