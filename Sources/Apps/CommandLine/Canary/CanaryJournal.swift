import Domain
import Foundation

/// The results of the canary, and the moments at which the operator hears of them.
struct CanaryJournal: Sendable {
    /// While a trouble lasts the operator hears of it again after this time.
    static let pauseBetweenMessages: Duration = .minutes(15)

    struct Result: Equatable, Sendable {
        var legs: [CanaryLeg] = []
        /// Why there was no round; nil when there was one.
        var failure: String?

        /// In words; nil when all was in time.
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

    /// A message to the operator.
    struct Message: Encodable, Equatable, Sendable {
        /// The whole, as chat programs show it.
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

    /// Notes the result of a round. Returns what the operator has to hear.
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

    /// The message could not be brought: it is due again at the next round.
    mutating func forgetMessage() { toldAt = nil }

    /// The result for a collector of text files (Prometheus).
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

    /// The result for a terminal.
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
