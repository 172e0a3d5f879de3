import API
import Domain
import HTTPTypes
import Hummingbird
import SafetyNetwork

/// The three requests that are examined even if the caller has exceeded a rate limit (product.md,
/// "Check-in" and "Manual alert"): a check-in, which is accepted if it is more than ten seconds
/// newer than the last one; an alert; and the refresh of tokens, because a device that was silent
/// for 15 minutes needs new tokens for the other two.
///
/// These exceptions must not defeat the limit, so the work before a refusal is cheap. The server
/// reads only a small body. It finds the access token in memory, or looks up one token at a time.
/// It keeps the time of each user's last check-in and the number of each user's alerts in memory.
enum LastResort {
    private static let endpoints = [
        Routes.checkIn.endpoint, Routes.raiseAlert.endpoint, Routes.refresh.endpoint,
    ]
    /// The maximum size of a body, in bytes. None of the three requests has a larger one.
    private static let bodyLimit = 1_000
    /// The number of alerts that a user who has exceeded a limit may raise in a minute. The burst
    /// is three, which allows retries.
    static let alertsPerMinute = 6

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

    /// Returns the length of the body: 0 without a body, because an alert needs none; nil if the
    /// length is unknown.
    private static func bodyLength(_ request: Request) -> Int? {
        guard let length = request.headers[.contentLength] else {
            return request.headers[.transferEncoding] == nil
                && request.headers[.contentType] == nil ? 0 : nil
        }
        return Int(length)
    }

    /// Authenticates the caller of one of these requests. Also returns the refusal if the caller
    /// has exceeded a limit.
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
