import API
import Domain
import Foundation
import TaskWork

/// Calls the routes of the API over a transport, as the signed-in user.
///
/// Every call throws `ClientFailure`, `CancellationError`, or a read error of the token store.
public final class Connection: Sendable {
    public struct Options: Sendable {
        public var retry = RetryPolicy()
        public var timeout: Duration = .seconds(20)
        /// The timeout of one try that carries a picture.
        public var pictureTimeout: Duration = .seconds(90)
        /// The IANA name of the user's time zone, for times in messages; nil if it is not known.
        public var timeZone: @Sendable () -> String? = { nil }
        /// The value of Accept-Language. It tells the server the country of a national phone
        /// number.
        public var languages: @Sendable () -> String? = { nil }
        /// The time of the device's clock, which each check-in sends; nil if check-ins don't come
        /// from a device.
        public var deviceTime: @Sendable () -> Date? = { nil }
        /// See `ClientEnvironment`.
        public var uptime: @Sendable () -> Uptime? = { nil }

        public init() {}
    }

    /// The sessions that the server has ended, each once. The user's own sign-outs are not
    /// included. The stream has a single reader.
    public let endedSessions: AsyncStream<SessionID>

    let clock: ClientClock
    let random: @Sendable () -> Double
    private let transport: any Transport
    let options: Options
    let keeper: SessionKeeper
    /// The user of every call; nil for the user who is signed in at the time of the call.
    let user: UserID?
    let epoch = EpochWitness()
    let serverClock: ServerClockWitness

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
        serverClock = ServerClockWitness(
            deviceTime: options.deviceTime, uptime: options.uptime)
        keeper = SessionKeeper(transport: transport, store: store, ended: ended)
        user = nil
    }

    private init(_ other: Connection, of user: UserID) {
        endedSessions = other.endedSessions
        transport = other.transport
        clock = other.clock
        random = other.random
        options = other.options
        serverClock = other.serverClock
        keeper = other.keeper
        self.user = user
    }

    /// Returns a connection for one user. Its calls throw `sessionEnded` once another user is
    /// signed in.
    func bound(to user: UserID) -> Connection { Connection(self, of: user) }

    // MARK: Calls

    /// Calls a route.
    /// - Parameters:
    ///   - id: replaces `{id}` in the path.
    ///   - key: the idempotency key, for routes that accept one.
    ///   - retry: overrides the connection's policy.
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

    /// Downloads bytes with their media type: `Routes.picture`, `Routes.qrCodePicture`.
    public func download(_ endpoint: Endpoint, id: UUID? = nil, retry: RetryPolicy? = nil)
        async throws -> (bytes: Data, mediaType: String)
    {
        let answer = try await perform(
            APIRequest(endpoint, id: id, timeout: options.pictureTimeout), retry: retry)
        return (answer.body, answer.headers["content-type"] ?? "application/octet-stream")
    }

    /// Opens a stream, without retries.
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
        await serverClock.see(stream.headers)
        await epoch.see(stream.headers)
        if stream.status == 401 {
            tokens = try await keeper.renew(tokens)
            stream = try await transport.stream(signed(request, tokens))
        }
        guard stream.status == endpoint.status else {
            // The body is not read, because nothing limits how long it takes to arrive.
            throw APIReply.failure(
                of: TransportResponse(status: stream.status, headers: stream.headers))
        }
        return stream
    }

    // MARK: Attempts

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
                // An earlier try has deleted the item, but its answer was lost.
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

    /// Requests with the time of a press, which the server compares with the time of sending.
    private static let withSentAt = [
        Routes.raiseAlert.endpoint, Routes.endAlert.endpoint, Routes.checkIn.endpoint,
        Routes.extendJourney.endpoint, Routes.endJourney.endpoint, Routes.respondToPing.endpoint,
        Routes.pause.endpoint, Routes.endPause.endpoint,
    ]

    /// - Parameter caller: the user of the call. The first try sets it, and the retries use it.
    private func once(_ apiRequest: APIRequest, by caller: inout UserID?, within left: Duration)
        async throws
        -> TransportResponse
    {
        var request = apiRequest.request
        if let languages = options.languages() { request.headers["Accept-Language"] = languages }
        if apiRequest.request.isRepeatable {
            request.timeout = max(.milliseconds(1), min(request.timeout, left))
        }
        // Each try sends its own time, because the server compares this time with the arrival.
        if Self.withSentAt.contains(apiRequest.endpoint), let sentAt = options.deviceTime() {
            request.headers[Endpoint.sentAt] = Timestamp.text(sentAt)
        }
        guard apiRequest.endpoint.access == .session else {
            let answer = try await transport.send(request)
            await serverClock.see(answer.headers)
            return try APIReply.accepted(answer, for: apiRequest.endpoint)
        }
        var tokens = try await tokens(of: caller)
        caller = tokens.userID
        var answer = try await transport.send(signed(request, tokens))
        // A restored database makes the device resend actions, with times by the server's clock.
        await serverClock.see(answer.headers)
        // Checks for a restored database before a renewal, because a restored server may not know
        // the session.
        await epoch.see(answer.headers)
        // Renews up to twice, because another process may renew the tokens between a renewal and
        // the next try.
        for _ in 0..<2 where answer.status == 401 {
            guard let renewed = try await renewed(tokens, for: apiRequest.endpoint) else { break }
            tokens = renewed
            answer = try await transport.send(signed(request, tokens))
        }
        return try APIReply.accepted(answer, for: apiRequest.endpoint)
    }

    /// Returns the request signed for the current user. Throws while signed out.
    func signed(_ apiRequest: APIRequest) async throws -> TransportRequest {
        signed(apiRequest.request, try await tokens())
    }

    private func signed(_ request: TransportRequest, _ tokens: SessionTokens) -> TransportRequest {
        var request = request.with(tokens)
        request.headers[Endpoint.timeZone] = options.timeZone()
        return request
    }

    /// Renews the tokens. Returns nil if the server refused the request for another reason.
    private func renewed(_ refused: SessionTokens, for endpoint: Endpoint) async throws
        -> SessionTokens?
    {
        guard endpoint == Routes.changePhoneNumber.endpoint else {
            return try await keeper.renew(refused)
        }
        // For this route, 401 can also mean a wrong code. Sending that code again would use up
        // another of the five tries. So this loads the profile instead, which renews refused
        // tokens.
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

extension Connection {
    /// Returns the signed-in user; nil while signed out. Throws the read errors of the token store.
    public func signedInUser() async throws -> UserID? {
        do { return try await keeper.tokens().userID } catch ClientFailure.sessionEnded {
            return nil
        }
    }

    /// Requests a sign-in code. The request contains this device's key.
    public func sendCode(to number: String) async throws -> CodeRequestID {
        try await askForCode(to: number, isConfirmed: false).requestID
    }

    func askForCode(
        to number: String, isConfirmed: Bool, token: String? = nil, inviterCode: QRCodeID? = nil,
        by route: Route<SendCodeRequest, SendCodeResponse> = Routes.sendCode
    ) async throws -> SendCodeResponse {
        // Fields are omitted unless needed, because an older server rejects unknown fields.
        let request = SendCodeRequest(
            phoneNumber: number, deviceKey: await keeper.deviceKey(),
            isConfirmed: isConfirmed ? true : nil, token: token, inviterCode: inviterCode)
        return try await call(route, request)
    }

    /// Signs in. If the token store fails, throws its error. The code is then used up, and the user
    /// stays signed out.
    /// - Parameter key: the idempotency key. A repeat with it gets the same session.
    public func signIn(
        _ request: SignInRequest, key: UUID? = nil
    ) async throws -> TokenResponse {
        var request = request
        if request.deviceKey == nil { request.deviceKey = await keeper.deviceKey() }
        let response = try await call(Routes.signIn, request, key: key)
        try await keeper.adopt(SessionTokens(response))
        return response
    }

    /// Signs in by a passkey. Throws like `signIn`.
    func signIn(_ assertion: PasskeyAssertion, deviceName: String) async throws -> TokenResponse {
        let request = PasskeySignInRequest(
            passkey: assertion, deviceName: deviceName, deviceKey: await keeper.deviceKey())
        let response = try await call(Routes.signInByPasskey, request)
        try await keeper.adopt(SessionTokens(response))
        return response
    }

    /// Adopts a session that was made elsewhere. Throws the errors of the token store.
    public func adopt(_ tokens: SessionTokens) async throws { try await keeper.adopt(tokens) }

    /// Signs out on this device. If the server is unreachable, returns the failure, and the session
    /// stays on the server until it expires. Throws only if the token store can't delete the
    /// tokens.
    @discardableResult
    public func signOut(retry: RetryPolicy? = nil) async throws -> ClientFailure? {
        var unheard: ClientFailure?
        do {
            _ = try await call(Routes.signOut, retry: retry)
        } catch let failure as ClientFailure {
            unheard = failure == .sessionEnded ? nil : failure
        } catch {
            unheard = .unreachable(.other)
        }
        try await keeper.forget()
        return unheard
    }

    public func deleteAccount(
        _ request: DeleteAccountRequest = DeleteAccountRequest()
    ) async throws {
        _ = try await call(Routes.deleteAccount, request)
        try await keeper.forget()
    }
}
