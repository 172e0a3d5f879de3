import API
import Foundation

/// Why a call to the server failed. `UserFacingError` has a text for each case.
public enum ClientFailure: Error, Equatable, Sendable {
    /// The server refused the request. `retryAfter` is how long it asks the client to wait.
    case refused(Problem, retryAfter: Duration? = nil)
    /// No complete answer arrived. The request may have taken effect, unless it was not sent.
    case unreachable(Unreachable)
    /// The session is over, and the user is signed out.
    case sessionEnded
    /// The answer isn't one of this API. It may be from a captive portal, a proxy, or a server that
    /// is much newer or older.
    case malformedAnswer

    public enum Unreachable: String, Sendable, Equatable, CaseIterable {
        /// This device has no network.
        case offline
        /// The server's name can't be resolved.
        case nameNotFound
        /// Nothing listens at the address.
        case refused
        case timedOut
        /// The server could not prove its identity.
        case insecure
        /// The connection broke before the answer was complete.
        case interrupted
        case other
    }

    /// How long the server, or a proxy in front of it, asks the client to wait.
    var retryAfter: Duration? {
        guard case .refused(_, let wait) = self else { return nil }
        return wait
    }

    /// The code of a refusal.
    public var code: ErrorCode? {
        guard case .refused(let problem, _) = self else { return nil }
        return problem.code
    }
}

extension ClientFailure {
    /// True if the server would give the same answer again, so that the queue drops the action.
    ///
    /// A call for help is never dropped. The end of a call for help and a check-in are dropped only
    /// if the error code says why they can never succeed, because any other refusal may be a fault
    /// of the server.
    public func isFinal(for operation: ClientOperation) -> Bool {
        guard let code else { return false }
        return switch operation {
        case .action(.raiseAlert): false
        case .action(.endAlert): code == .notFound || code == .invalidArgument
        case .action(.checkIn): code == .invalidArgument
        default:
            switch code {
            case .permissionDenied, .notFound, .methodNotAllowed, .alreadyExists, .payloadTooLarge,
                .unsupportedMediaType, .invalidArgument, .unknown:
                true
            case .unauthenticated, .rateLimited, .internal, .unavailable: false
            }
        }
    }
}

extension ClientFailure {
    /// True if the request is valid and the server can't be asked at the moment.
    var isConnectionFailure: Bool {
        switch self {
        case .unreachable, .malformedAnswer: true
        case .refused(let problem, _):
            [.unavailable, .rateLimited, .internal].contains(problem.code)
        case .sessionEnded: false
        }
    }
}
