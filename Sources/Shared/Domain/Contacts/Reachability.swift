import Foundation

/// Whether a responder whose pages are closed would hear of an alert, with the evidence.
public struct Reachability: Codable, Equatable, Hashable, Sendable {
    public var state: State
    /// The channel with the latest proof.
    public var channel: DeliveryChannel?
    /// The start of the day of that proof, in UTC. The hour would reveal when the person uses their
    /// phone.
    public var provenOn: Date?
    /// When the last channel began to fail; nil if there is no channel.
    public var failingSince: Date?
    /// True if they have replied STOP to a text message.
    public var hasStoppedTexts: Bool?

    public enum State: String, GrowingEnum, Sendable, CaseIterable {
        public static let fallback = unknown
        /// The states that a server knows.
        public static let allCases: [State] = [.proven, .notProven, .unreachable]

        /// A device or a provider has recently confirmed a message.
        case proven
        /// At least one channel may work.
        case notProven
        case unreachable
        /// What clients decode when the state is one that only a newer server knows. Never stored
        /// or sent.
        case unknown
    }

    public static let notProven = Reachability(state: .notProven)

    public static func proven(by channel: DeliveryChannel, on day: Date) -> Self {
        Reachability(state: .proven, channel: channel, provenOn: day)
    }

    /// - Parameter since: when the last channel began to fail; nil if there is no channel.
    public static func unreachable(since: Date? = nil) -> Self {
        Reachability(state: .unreachable, failingSince: since)
    }
}

/// A channel that can reach a person whose pages are closed, with the evidence that it works or
/// fails.
public struct ReachabilityEvidence: Equatable, Sendable {
    public var channel: DeliveryChannel
    /// The time of the last confirmed message.
    public var provenAt: Date?
    /// When the channel began to fail; nil while it works.
    public var failingSince: Date?

    public init(_ channel: DeliveryChannel, provenAt: Date? = nil, failingSince: Date? = nil) {
        self.channel = channel
        self.provenAt = provenAt
        self.failingSince = failingSince
    }
}
