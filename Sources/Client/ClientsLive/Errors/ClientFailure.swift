import API
import Foundation

/// Why a call to the server came to nothing. `UserFacingError` has the words for each.
public enum ClientFailure: Error, Equatable, Sendable {
    /// The server understood and said no. `retryAfter` is how long it wants to be left alone.
    case refused(Problem, retryAfter: Duration? = nil)
    /// The request got no whole answer. What was asked may have happened, except where nothing was
    /// sent.
    case unreachable(Unreachable)
    /// The session is over: nobody is signed in any more.
    case sessionEnded
    /// An answer that is not of this API: of a captive portal, a proxy, or a server that is much
    /// newer or older.
    case malformedAnswer

    public enum Unreachable: String, Sendable, Equatable, CaseIterable {
        /// This device has no network.
        case offline
        /// The server's name is not known here.
        case nameNotFound
        /// There is no server at the address.
        case refused
        case timedOut
        /// The server could not prove who it is.
        case insecure
        /// The connection broke before the answer was whole.
        case interrupted
        case other
    }

    /// How long the server, or what stands in front of it, wants to be left alone.
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
