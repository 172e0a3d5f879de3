import Domain
import Foundation

/// Decides from the canary's results when to notify the operator.
struct CanaryJournal: Sendable {
    /// How often to remind the operator while rounds fail.
    static let pauseBetweenMessages: Duration = .minutes(15)

    struct Result: Equatable, Sendable {
        var legs: [CanaryLeg] = []
        var failure: String?

        /// Returns what is wrong, in words; nil if all news arrived in time.
        func trouble(limit: Duration) -> String? {
            if let failure { return failure }
            let late = legs.compactMap { leg -> String? in
                guard let time = leg.time else { return "\(leg.name.words) did not work" }
                guard time > limit else { return nil }
                return "\(leg.name.words) took \(CanaryJournal.seconds(time)) s"
            }
            return late.isEmpty ? nil : late.joined(separator: "; ")
        }
    }

    struct Message: Encodable, Equatable, Sendable {
        var text: String
        var status: String
        var server: String
        var since: Date
    }

    let server: String
    let limit: Duration
    private(set) var troubleSince: Date?
    private var toldAt: Date?

    init(server: String, limit: Duration) {
        self.server = server
        self.limit = limit
    }

    /// Records the result of a round. Returns a message if the operator must be notified.
    mutating func note(_ result: Result, at now: Date) -> Message? {
        guard let trouble = result.trouble(limit: limit) else {
            defer { (troubleSince, toldAt) = (nil, nil) }
            return troubleSince.map {
                Message(
                    text: "LifeSignal at \(server) works again.", status: "ok", server: server,
                    since: $0)
            }
        }
        let since = troubleSince ?? now
        troubleSince = since
        if let toldAt, now >= toldAt, now.since(toldAt) < Self.pauseBetweenMessages { return nil }
        toldAt = now
        return Message(
            text: "LifeSignal at \(server) fails its canary: \(trouble).", status: "failing",
            server: server, since: since)
    }

    /// Makes a message that could not be sent due at the next round. Until the operator has read
    /// that the server works again, the trouble counts as going on.
    mutating func forget(_ message: Message) {
        (troubleSince, toldAt) = (message.since, nil)
    }

    /// Returns the result in Prometheus's text format, for its textfile collector.
    func metrics(_ result: Result, at now: Date) -> String {
        let isGood = result.trouble(limit: limit) == nil
        var lines = [
            "# HELP lifesignal_canary_success 1 if all news of the last round came in time.",
            "# TYPE lifesignal_canary_success gauge",
            "lifesignal_canary_success \(isGood ? 1 : 0)",
            "# HELP lifesignal_canary_last_run_timestamp_seconds When the last round ended.",
            "# TYPE lifesignal_canary_last_run_timestamp_seconds gauge",
            "lifesignal_canary_last_run_timestamp_seconds \(now.milliseconds / 1_000)",
            "# HELP lifesignal_canary_leg_seconds How long news took in the last round.",
            "# TYPE lifesignal_canary_leg_seconds gauge",
        ]
        for case let (name, time?) in result.legs.map({ ($0.name, $0.time) }) {
            lines.append(
                "lifesignal_canary_leg_seconds{leg=\"\(name.rawValue)\"} \(Self.seconds(time))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    func line(_ result: Result) -> String {
        let mark = result.trouble(limit: limit) == nil ? "ok" : "FAIL"
        if let failure = result.failure { return "\(mark)  \(failure)" }
        let legs = result.legs.map { leg in
            "\(leg.name.rawValue) \(leg.time.map { "\(Self.seconds($0)) s" } ?? "never")"
        }
        return "\(mark)  \(legs.joined(separator: ", "))"
    }

    static func seconds(_ time: Duration) -> String {
        String(format: "%.3f", locale: Locale(identifier: "en_US_POSIX"), time / .seconds(1))
    }
}
