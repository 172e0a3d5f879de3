import API
import Domain
import Foundation

/// Why a call to the server failed. `UserFacingError` has a text for each case.
public enum ClientFailure: Error, Equatable, Sendable {
    /// The server refused the request and asks to wait for `retryAfter`.
    case refused(Problem, retryAfter: Duration? = nil)
    /// No complete answer arrived. If the request was sent, it may have taken effect.
    case unreachable(Unreachable)
    /// The session is over, and the user is signed out.
    case sessionEnded
    /// The answer isn't from this API. It may be from a captive portal, a proxy, or a server that
    /// is much newer or older.
    case malformedAnswer

    public enum Unreachable: String, Sendable, Equatable, CaseIterable {
        case offline
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

    /// The wait that the server, or a proxy in front of it, asks for.
    var retryAfter: Duration? {
        guard case .refused(_, let wait) = self else { return nil }
        return wait
    }

    public var code: ErrorCode? {
        guard case .refused(let problem, _) = self else { return nil }
        return problem.code
    }
}

extension ClientFailure {
    /// True if the server would refuse a retry, too. The queue then drops the action.
    ///
    /// A call for help is never dropped. Its end, a check-in and a press about a journey are
    /// dropped only if the error code says why they can never succeed. Any other refusal may be a
    /// fault of the server.
    public func isFinal(for operation: ClientOperation) -> Bool {
        guard let code else { return false }
        return switch operation {
        case .action(.raiseAlert): false
        case .action(.endAlert): code == .notFound || code == .invalidArgument
        case .action(.checkIn), .action(.extendJourney), .action(.endJourney),
            .action(.resendJourney):
            code == .invalidArgument
        default:
            switch code {
            case .permissionDenied, .notFound, .methodNotAllowed, .alreadyExists, .payloadTooLarge,
                .unsupportedMediaType, .invalidArgument, .accountLocked, .unknown:
                true
            case .unauthenticated, .rateLimited, .internal, .unavailable: false
            }
        }
    }
}

extension ClientFailure {
    /// True if the connection or the server failed. The request itself may be valid.
    var isConnectionFailure: Bool {
        switch self {
        case .unreachable, .malformedAnswer: true
        case .refused(let problem, _):
            [.unavailable, .rateLimited, .internal].contains(problem.code)
        case .sessionEnded: false
        }
    }
}
