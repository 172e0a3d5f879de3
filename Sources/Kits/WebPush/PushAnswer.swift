import Foundation

/// The answer of a push service.
public enum PushAnswer: Sendable, Equatable {
    /// The service has the message. Whether the browser gets it, it does not say.
    case accepted
    /// The subscription has ended: its endpoint can be forgotten.
    case gone
    /// The body is larger than this service takes.
    case tooLarge
    /// The same request would be refused again.
    case refused(Refusal)
    /// Another try may work; `after` is the pause that the service asked for, zero if none.
    case later(after: Duration)

    public enum Refusal: Sendable, Equatable {
        /// 400: a header or the endpoint is not as the service wants it. Apple's service says so of
        /// a key that the browser did not subscribe for, too.
        case request
        /// 401: the token is missing, expired or not valid. Mozilla's service says so of everything
        /// that is wrong with it.
        case token
        /// 403: the key is not the one that the browser subscribed for (Google), or a claim of the
        /// token is not accepted (Apple).
        case key
        /// Another status that no retry can mend.
        case status(Int)
    }

    /// - Parameters:
    ///   - headers: by lower-case name.
    ///   - now: `Retry-After` can be a time of day.
    public init(status: Int, headers: [String: String] = [:], now: Date) {
        switch status {
        case 200..<300: self = .accepted
        case 404, 410: self = .gone
        case 413: self = .tooLarge
        case 400: self = .refused(.request)
        case 401: self = .refused(.token)
        case 403: self = .refused(.key)
        // 408 and 425 ask for the same request again (RFC 9110, RFC 8470).
        case 408, 425, 429, 500...:
            self = .later(after: RetryAfter.pause(headers["retry-after"], now: now))
        default: self = .refused(.status(status))
        }
    }
}
