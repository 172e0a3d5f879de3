import Foundation

public enum ReachabilityRules {
    /// How long a confirmed message proves that its channel works.
    public static let proofHolds: Duration = .days(30)
    /// The server tests an endpoint after this time without a confirmed message.
    public static let testEvery: Duration = .days(7)
    /// How long a channel must fail before it counts as failing. Most channels recover within
    /// minutes.
    public static let failsAfter: Duration = .hours(1)

    /// Returns how well a person can be reached.
    /// - Parameter ways: all channels except streams. A stream ends when its page or app is closed.
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
    fileprivate var startOfDay: Date {
        let day: Int64 = 86_400_000
        return Date(milliseconds: milliseconds - milliseconds % day)
    }
}
