import API
import Domain
import HTTPTypes
import Hummingbird
import SafetyNetwork

/// The server examines four requests even beyond a rate limit (product.md, "Check-in", "Sources"
/// and "Manual alert"). They are check-in, check-in by a source, alert and refresh of tokens. After
/// 15 minutes a device needs new tokens for check-ins and alerts.
///
/// Beyond a limit of their user, an open page still sends its queue and its presses, and a session
/// still ends itself and others. Each session has its own limit for this, and for alerts, so that a
/// session that floods the server uses up no other's.
///
/// The work before a refusal must be cheap, so that these exceptions don't defeat the limit. The
/// server reads only a small body and looks up only one token or secret at a time. It keeps each
/// user's last check-in and each session's number of alerts in memory.
enum LastResort {
    private static let endpoints = [
        Routes.checkIn.endpoint, Routes.checkInBySource, Routes.raiseAlert.endpoint,
        Routes.refresh.endpoint,
    ]
    /// In bytes. None of the four requests needs a larger body.
    private static let bodyLimit = 1_000
    /// The number of alerts per minute that a session of a user beyond a limit may raise. The burst
    /// is three, which allows retries.
    static let alertsPerMinute = 6

    /// An open page sends its queue and its presses here. Both can contain a call for help.
    private static let pagePaths: Set = ["/web/queue", "/web/events"]
    /// In bytes. The queue may contain other presses besides an alert.
    private static let pageBodyLimit = 16_000
    /// The number of these requests per minute that a page of a user beyond a limit may make. The
    /// burst is twelve. An alert of four taps takes at most four.
    static let pageRequestsPerMinute = 24

    /// With these, the owner signs out or ends a session that floods the server.
    private static let sessionEndpoints = [
        Routes.sessions.endpoint, Routes.endSession.endpoint, Routes.signOut.endpoint,
    ]
    /// The number of these requests per minute that a session of a user beyond a limit may make.
    /// The burst is three.
    static let sessionRequestsPerMinute = 6

    static func includes(_ endpoint: Endpoint) -> Bool {
        endpoints.contains { $0.operationID == endpoint.operationID }
    }

    static func includes(_ request: Request) -> Bool {
        guard let length = bodyLength(request), length <= bodyLimit else { return false }
        let path = request.uri.path.split(separator: "/")
        return endpoints.contains { endpoint in
            let parts = endpoint.path.split(separator: "/")
            return endpoint.method.rawValue == request.method.rawValue && parts.count == path.count
                && zip(parts, path).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }
    }

    /// Returns true for a request of an open page that may contain a call for help.
    static func includes(page request: Request) -> Bool {
        guard let length = bodyLength(request), length <= pageBodyLimit else { return false }
        return request.method == .post && pagePaths.contains(request.uri.path)
    }

    static func endsSessions(_ endpoint: Endpoint) -> Bool {
        sessionEndpoints.contains { $0.operationID == endpoint.operationID }
    }

    /// Returns the length of the body: 0 without a body, nil if the length is unknown. An alert
    /// without a body may name any media type. In HTTP/1.1 a request with neither header is without
    /// a body.
    private static func bodyLength(_ request: Request) -> Int? {
        guard let length = request.headers[.contentLength] else {
            return request.headers[.transferEncoding] == nil ? 0 : nil
        }
        return Int(length)
    }

    /// Authenticates the caller. If the caller has exceeded a limit, also returns the refusal.
    static func caller(
        of call: Call, _ network: SafetyNetwork, _ limiter: RateLimiter<UserID>
    ) async throws -> (caller: Caller, refusal: CommandError?) {
        let token = try call.token()
        if let refusal = call.context.refusal {
            return (try await network.signIn.authenticate(token, unlessRefused: refusal), refusal)
        }
        let caller = try await network.signIn.authenticate(token)
        do throws(CommandError) {
            try limiter.take(caller.userID)
            return (caller, nil)
        } catch {
            guard includes(call.request) else { throw error }
            return (caller, error)
        }
    }
}
