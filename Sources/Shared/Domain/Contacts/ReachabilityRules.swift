import Foundation

public enum ReachabilityRules {
    /// How long a proof counts.
    public static let proofHolds: Duration = .days(30)
    /// An endpoint that has confirmed nothing for this long is tested.
    public static let testEvery: Duration = .days(7)
    /// How long a channel must have failed before it counts as failing, because most channels work
    /// again within minutes.
    public static let failsAfter: Duration = .hours(1)

    /// - Parameter ways: all channels, working or not, except streams, because a stream ends when
    ///   its page or app is closed.
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
    /// The start of this date's day in UTC.
    fileprivate var startOfDay: Date {
        let day: Int64 = 86_400_000
        return Date(milliseconds: milliseconds - milliseconds % day)
    }
}
