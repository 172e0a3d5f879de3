import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SafetyNetwork

/// Registers the routes of `API` with Hummingbird. Each route decodes the request, runs the
/// command, and answers.
struct RouteBuilder {
    let router: Router<LifeSignalContext>
    let network: SafetyNetwork
    let limiter: RateLimiter<UserID>
    /// The rate limit of each session for `LastResort.endsSessions` beyond `limiter`.
    let sessionLimiter: RateLimiter<Caller>

    /// Adds a route without sign-in.
    /// - Parameter bodyLimit: the maximum size of the body, in bytes.
    func open<Input, Output>(
        _ route: Route<Input, Output>, bodyLimit: Int = Endpoint.openBodyLimit,
        _ handler: @escaping @Sendable (Input, Call) async throws -> Output
    ) {
        on(route.endpoint) { call in
            let input = try await call.body(Input.self, limit: bodyLimit)
            return try await Self.answer(
                try await handler(input, call), route.endpoint.status, in: call.context)
        }
    }

    func signedIn<Input, Output>(
        _ route: Route<Input, Output>,
        _ handler: @escaping @Sendable (Input, SignedInCall) async throws -> Output
    ) {
        signedIn(route.endpoint) { [network] call in
            let input = try await call.call.body(Input.self)
            if Input.self != Empty.self { try await call.checkAgain(route.endpoint, network) }
            return try await Self.answer(
                try await handler(input, call), route.endpoint.status, in: call.context)
        }
    }

    /// Adds a route with sign-in and without a JSON body.
    func signedIn(
        _ endpoint: Endpoint, _ handler: @escaping @Sendable (SignedInCall) async throws -> Response
    ) {
        on(endpoint) { [network, limiter, sessionLimiter] call in
            let caller = try await network.signIn.authenticate(try call.token())
            do throws(CommandError) {
                try limiter.take(caller.userID)
            } catch {
                guard LastResort.endsSessions(endpoint) else { throw error }
                try sessionLimiter.take(caller)
            }
            let signedIn = SignedInCall(call: call, caller: caller)
            try await signedIn.checkLock(of: endpoint, network)
            let answer = try await handler(signedIn)
            if let zone = call.request.headers[.timeZone] {
                await network.timeZones.noteTimeZone(zone, of: caller)
            }
            return answer
        }
    }

    func on(_ endpoint: Endpoint, _ handler: @escaping @Sendable (Call) async throws -> Response) {
        let method = HTTPRequest.Method(rawValue: endpoint.method.rawValue) ?? .get
        router.on(RouterPath(endpoint.path), method: method) { request, context in
            if let refusal = context.refusal, !LastResort.includes(endpoint) { throw refusal }
            return try await handler(Call(request: request, context: context))
        }
    }

    /// Encodes an answer that takes milliseconds off the event loop.
    static func answer<Output: Payload>(
        _ output: Output, _ status: Int, in context: LifeSignalContext
    ) async throws -> Response {
        guard let rows = output as? any PayloadWithRows, rows.rowCount > rowLimit else {
            return try answer(output, status)
        }
        return try await withTaskExecutorPreference(context.longWork) {
            try answer(output, status)
        }
    }

    /// The maximum number of rows that are encoded on the event loop.
    private static let rowLimit = 50

    static func answer<Output: Payload>(_ output: Output, _ status: Int) throws -> Response {
        guard Output.self != Empty.self else { return Response(status: .init(code: status)) }
        let bytes = try WireJSON.encoder().encode(output)
        return Response(
            status: .init(code: status), headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    static func answer(bytes: Data, contentType: String, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.contentType] = contentType
        return Response(
            status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension Call {
    /// Checks the session again after reading a body, during which the session may have ended. The
    /// first check has cached the session, so this one rarely reads the database.
    /// - Parameter refusal: the refusal of a request beyond a rate limit.
    func checkSession(_ network: SafetyNetwork, unlessRefused refusal: CommandError? = nil)
        async throws
    {
        let token = try self.token()
        if let refusal {
            _ = try await network.signIn.authenticate(token, unlessRefused: refusal)
        } else {
            _ = try await network.signIn.authenticate(token)
        }
    }
}

extension SignedInCall {
    /// Repeats the checks after reading a body, during which the session may have ended or an
    /// administrator may have locked the account.
    func checkAgain(_ endpoint: Endpoint, _ network: SafetyNetwork) async throws {
        try await call.checkSession(network)
        try await checkLock(of: endpoint, network)
    }

    fileprivate func checkLock(of endpoint: Endpoint, _ network: SafetyNetwork) async throws {
        guard endpoint.isStoppedByLock, !endpoint.isStoppedInPart else { return }
        try await network.accountLocks.check(caller)
    }
}

private protocol PayloadWithRows {
    var rowCount: Int { get }
}

extension List: PayloadWithRows {
    fileprivate var rowCount: Int { items.count }
}

extension AlertRecord: PayloadWithRows {
    fileprivate var rowCount: Int { ledger.count + history.count }
}
