import Foundation

/// Whether a responder would hear of an alert while no page of theirs is open, and how that is
/// known (product.md, "Would they hear me?").
public struct Reachability: Codable, Equatable, Hashable, Sendable {
    public var state: State
    /// The channel that has proven itself last.
    public var channel: DeliveryChannel?
    /// The beginning of the day of that proof, in UTC. The hour would tell when somebody uses
    /// their phone.
    public var provenOn: Date?
    /// Since when no channel has worked; nil if there is none at all.
    public var failingSince: Date?
    /// They have written STOP to a text message.
    public var hasStoppedTexts: Bool?

    public enum State: String, GrowingEnum, Sendable, CaseIterable {
        public static let fallback = unknown
        /// The states that a server knows.
        public static let allCases: [State] = [.proven, .notProven, .unreachable]

        /// A device or a provider has confirmed a message lately.
        case proven
        /// There is a channel that may work.
        case notProven
        case unreachable
        /// A client's word for a state of a newer server; never stored or sent.
        case unknown
    }

    public static let notProven = Reachability(state: .notProven)

    public static func proven(by channel: DeliveryChannel, on day: Date) -> Self {
        Reachability(state: .proven, channel: channel, provenOn: day)
    }

    /// - Parameter since: nil if there is no channel at all.
    public static func unreachable(since: Date? = nil) -> Self {
        Reachability(state: .unreachable, failingSince: since)
    }
}

/// A way to bring news to somebody whose pages are closed.
public struct ReachabilityEvidence: Equatable, Sendable {
    public var channel: DeliveryChannel
    /// When a message last proved to have arrived.
    public var provenAt: Date?
    /// Since when it has taken nothing; nil while it works.
    public var failingSince: Date?

    public init(_ channel: DeliveryChannel, provenAt: Date? = nil, failingSince: Date? = nil) {
        self.channel = channel
        self.provenAt = provenAt
        self.failingSince = failingSince
    }
}

public enum ReachabilityRules {
    /// A proof counts for this long (reach.md, "Readiness").
    public static let proofHolds: Duration = .days(30)
    /// An endpoint that has confirmed nothing for this long gets a test.
    public static let testEvery: Duration = .days(7)
    /// A channel that fails for less is not given up: most come back within minutes.
    public static let failsAfter: Duration = .hours(1)

    /// - Parameter ways: all there are, working or not. Streams are none: they end with the page.
    public static func reachability(
        by ways: [ReachabilityEvidence], at now: Date
    ) -> Reachability {
        let working = ways.filter { !$0.isFailing(at: now) }
        guard !working.isEmpty else {
            return .unreachable(since: ways.compactMap(\.failingSince).max())
        }
        let proofs = working.compactMap { way in
            way.provenAt.map { (channel: way.channel, time: $0) }
        }
        guard let newest = proofs.max(by: { $0.time < $1.time }),
            now.since(newest.time) < proofHolds
        else { return .notProven }
        return .proven(by: newest.channel, on: newest.time.startOfDay)
    }
}

extension ReachabilityEvidence {
    fileprivate func isFailing(at now: Date) -> Bool {
        failingSince.map { now.since($0) >= ReachabilityRules.failsAfter } ?? false
    }
}

extension Date {
    /// The beginning of its day in UTC.
    fileprivate var startOfDay: Date {
        let day: Int64 = 86_400_000
        return Date(milliseconds: milliseconds - milliseconds % day)
    }
}
