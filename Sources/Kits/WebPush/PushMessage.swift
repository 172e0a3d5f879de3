import Foundation

public struct PushMessage: Sendable, Equatable {
    /// How much battery a message is worth (RFC 8030, section 5.3).
    public enum Urgency: String, Sendable, CaseIterable {
        case veryLow = "very-low"
        case low
        case normal
        case high
    }

    /// A name that lets a newer message replace an undelivered one. The push service can read it.
    public struct Topic: Sendable, Equatable {
        public static let length = 1...32
        public let text: String

        /// - Returns: nil unless the text has 1 to 32 characters of base64url.
        public init?(_ text: String) {
            let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            guard Self.length.contains(text.utf8.count),
                text.utf8.allSatisfy({ digits.utf8.contains($0) })
            else { return nil }
            self.text = text
        }
    }

    /// The bytes for the service worker, at most `PushEncryption.payloadLimit`.
    public var payload: Data
    /// How long the push service keeps the message while the browser is offline. With zero, the
    /// service delivers it immediately or discards it.
    public var timeToLive: Duration
    public var urgency: Urgency
    public var topic: Topic?

    public init(
        payload: Data, timeToLive: Duration, urgency: Urgency = .normal, topic: Topic? = nil
    ) {
        self.payload = payload
        self.timeToLive = timeToLive
        self.urgency = urgency
        self.topic = topic
    }

    /// The maximum time that Firebase Cloud Messaging keeps messages, in seconds: 28 days.
    static let secondsLimit: Int64 = 28 * 86_400

    /// The time to live in whole seconds. Rounded up, because zero means "immediately or not at
    /// all".
    var seconds: Int64 {
        // Limited first, because the components of a longer time could overflow.
        let (whole, rest) = min(max(timeToLive, .zero), .seconds(Self.secondsLimit)).components
        return whole + (rest > 0 ? 1 : 0)
    }
}
