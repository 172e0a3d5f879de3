import API
import Domain
import HTTPTypes
import Hummingbird
import SafetyNetwork

/// The three requests that a request limit does not refuse unseen (product.md, "Check-in" and
/// "Manual alert"): a check-in, which is taken when it is more than ten seconds newer than the last
/// one; a call for help; and the exchange of a refresh token, without which a device that was
/// silent for 15 minutes can do neither.
///
/// They must not be a way around the limit, so what happens before the refusal is cheap: a small
/// body; an access token that is in memory, or looked up one at a time; and for each user the
/// moment of the last check-in and the number of calls for help, which are kept in memory too.
enum LastResort {
    private static let endpoints = [
        Routes.checkIn.endpoint, Routes.raiseAlert.endpoint, Routes.refresh.endpoint,
    ]
    /// More than any of their bodies ever has.
    private static let bodyLimit = 1_000
    /// A user's calls for help over a limit; three of them at once, so that one can be sent again.
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

    /// nil for a body of unknown length. A call for help needs none.
    private static func bodyLength(_ request: Request) -> Int? {
        guard let length = request.headers[.contentLength] else {
            return request.headers[.transferEncoding] == nil
                && request.headers[.contentType] == nil ? 0 : nil
        }
        return Int(length)
    }

    /// The caller of one of these requests, and the refusal if it is over a limit.
    static func caller(
        of call: Call, _ network: SafetyNetwork, _ limiter: RateLimiter<UserID>
    ) async throws -> (caller: Caller, refusal: CommandError?) {
        let token = try call.token()
        if let refusal = call.context.refusal {
            return (try await network.authenticate(token, unlessRefused: refusal), refusal)
        }
        let caller = try await network.authenticate(token)
        do throws(CommandError) {
            try limiter.take(caller.userID)
            return (caller, nil)
        } catch {
            guard includes(call.request) else { throw error }
            return (caller, error)
        }
    }
}
