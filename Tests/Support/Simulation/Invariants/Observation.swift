import Domain
import Foundation

/// The input of an invariant: the observer's truth, and the server's rows.
struct Observation: Sendable {
    /// An open alert as stored in its row.
    struct OpenAlert: Sendable {
        var id: AlertID
        var owner: Int
        var kind: AlertKind
        var startedAt: Date
        var escalationFrom: Date
        var nextDue: Date?
    }

    /// The true time.
    var now: Date
    var serverNow: Date
    /// The server's time when the deadline monitor last finished a pass.
    var lastPass: Date
    /// When this server started.
    var runningSince: Date
    /// The true time since when disk and clock have been sound; nil while they aren't.
    var soundSince: Date?
    /// How long the server was down before `runningSince`.
    var downtime: Duration
    /// True if the machine's clock was wrong when machine and server started.
    var startedWrong: Bool
    /// The true time until when the clock was wrong, and for how long.
    var clockWrong: (until: Date, span: Duration)?
    var truth: Truth
    var hearing: Hearing
    var open: [OpenAlert]
    var status: [Int: UserStatus]
    /// People with a row that refuses changes, or did until recently.
    var broken: Set<Int>
    /// True if one person may cause only some SMS and calls a day.
    var hasBudgets: Bool
    var lastTrouble: @Sendable (Endpoint) -> Date?

    func openAlert(_ owner: Int, _ kind: AlertKind) -> OpenAlert? {
        open.first { $0.owner == owner && $0.kind == kind }
    }

    /// Returns true if the server may hold back SMS and calls about this person's alerts.
    func mayLackBudget(_ owner: Int) -> Bool {
        let trouble = lastTrouble(.sms(owner)) ?? .distantPast
        return hasBudgets
            && (hearing.mayHaveSpent(owner, at: now) || now.since(trouble) < .days(1))
    }

    func name(_ person: Int) -> String { Names.of(person) }
}

/// A violation noticed as it happened.
struct Incident: Sendable {
    var invariant: String
    var text: String
}

/// A broken invariant.
public struct Violation: Sendable, Equatable, CustomStringConvertible {
    public var invariant: String
    public var text: String
    /// The time since the start of the run, in milliseconds.
    public var at: Int64

    public var description: String { "\(TimedStep.clock(at))  \(invariant): \(text)" }
}
