import Foundation

/// Whether an alert would reach a responder whose pages are closed, with the evidence.
public struct Reachability: Codable, Equatable, Hashable, Sendable {
    public var state: State
    /// The channel with the latest proof.
    public var channel: DeliveryChannel?
    /// The day of that proof (UTC). The hour would reveal when the person uses their phone.
    public var provenOn: Date?
    /// When the last channel began to fail; nil if there are no channels.
    public var failingSince: Date?
    /// True if they answered STOP to a text message.
    public var hasStoppedTexts: Bool?

    public enum State: String, GrowingEnum, Sendable, CaseIterable {
        public static let fallback = unknown
        /// The states that a server sends.
        public static let allCases: [State] = [.proven, .notProven, .unreachable]

        /// A device or provider recently confirmed a message.
        case proven
        /// At least one channel may work.
        case notProven
        case unreachable
        case unknown
    }

    public static let notProven = Reachability(state: .notProven)

    public static func proven(by channel: DeliveryChannel, on day: Date) -> Self {
        Reachability(state: .proven, channel: channel, provenOn: day)
    }

    /// - Parameter since: when the last channel began to fail; nil if there are no channels.
    public static func unreachable(since: Date? = nil) -> Self {
        Reachability(state: .unreachable, failingSince: since)
    }
}

/// Whether a channel works that can reach a person whose pages are closed.
public struct ReachabilityEvidence: Equatable, Sendable {
    public var channel: DeliveryChannel
    /// When a message was last confirmed.
    public var provenAt: Date?
    /// When the channel began to fail; nil while it works.
    public var failingSince: Date?

    public init(_ channel: DeliveryChannel, provenAt: Date? = nil, failingSince: Date? = nil) {
        self.channel = channel
        self.provenAt = provenAt
        self.failingSince = failingSince
    }
}
