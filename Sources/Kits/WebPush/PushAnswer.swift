import Foundation
import WebText

public enum PushAnswer: Sendable, Equatable {
    /// The service accepted the message. The browser hasn't necessarily got it.
    case accepted
    /// The subscription has expired.
    case gone
    /// The body exceeds this service's limit.
    case tooLarge
    /// A retry of the same request would be refused too.
    case refused(Refusal)
    /// A retry may succeed. `after` is the delay that the service asked for, or zero.
    case later(after: Duration)

    public enum Refusal: Sendable, Equatable {
        /// 400: a header or the endpoint is invalid. From Apple, also: the browser subscribed with
        /// another key.
        case request
        /// 401: the token is missing, expired or invalid. From Mozilla: any problem with the token.
        case token
        /// 403: the browser subscribed with another key (Google), or a claim of the token is
        /// rejected (Apple).
        case key
        /// Another status that a retry can't fix.
        case status(Int)

        /// True if a new token may be accepted, for example after a correction of the clock.
        public var isAboutToken: Bool { self == .token || self == .key }
    }

    /// - Parameters:
    ///   - headers: by lower-case name.
    ///   - now: the current time, because `Retry-After` can be a date.
    public init(status: Int, headers: [String: String] = [:], now: Date) {
        switch status {
        case 200..<300: self = .accepted
        case 404, 410: self = .gone
        case 413: self = .tooLarge
        case 400: self = .refused(.request)
        case 401: self = .refused(.token)
        case 403: self = .refused(.key)
        // 408 and 425 ask for a retry of the same request (RFC 9110, RFC 8470).
        case 408, 425, 429, 500...:
            self = .later(after: RetryAfter.pause(headers["retry-after"], now: now))
        default: self = .refused(.status(status))
        }
    }
}
