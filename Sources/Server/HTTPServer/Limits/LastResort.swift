import API
import Domain
import HTTPTypes
import Hummingbird
import NIOCore

/// The two requests that a request limit does not refuse unseen (product.md, "Check-in"): a
/// check-in, which is taken when it is more than ten seconds newer than the last one, and the
/// exchange of a refresh token, without which a device that was silent for 15 minutes can't check
/// in.
///
/// They must not be a way around the limit, so what happens before the refusal is cheap: a small
/// body; an access token that is in memory, or looked up one at a time; and for each user the
/// moment of the last check-in, which is kept in memory too.
enum LastResort {
    private static let endpoints = [Routes.checkIn.endpoint, Routes.refresh.endpoint]
    /// More than either body ever has.
    private static let bodyLimit = 1_000

    static func includes(_ endpoint: Endpoint) -> Bool {
        endpoints.contains { $0.operationID == endpoint.operationID }
    }

    static func includes(_ request: Request) -> Bool {
        guard let length = request.headers[.contentLength].flatMap({ Int($0) }), length <= bodyLimit
        else { return false }
        let path = request.uri.path.split(separator: "/")
        return endpoints.contains { endpoint in
            let parts = endpoint.path.split(separator: "/")
            return endpoint.method.rawValue == request.method.rawValue && parts.count == path.count
                && zip(parts, path).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }
    }
}
