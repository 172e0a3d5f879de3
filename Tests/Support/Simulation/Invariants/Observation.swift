import Domain
import Foundation

/// The input of an invariant: the observer's truth and the server's rows.
struct Observation: Sendable {
    struct OpenAlert: Sendable {
        var id: AlertID
        var owner: Int
        var kind: AlertKind
        var startedAt: Date
        var escalationFrom: Date
        var hasReport: Bool
        var nextDue: Date?
    }

    /// The true time.
    var now: Date
    var serverNow: Date
    /// The server's time of the deadline monitor's last complete pass.
    var lastPass: Date
    var runningSince: Date
    /// The true time since when disk and clock have been sound; nil during trouble.
    var soundSince: Date?
    /// How long the server was down before `runningSince`.
    var downtime: Duration
    /// Whether the machine's clock was wrong when machine and server started.
    var startedWrong: Bool
    /// Until when the clock was wrong, in true time, and for how long.
    var clockWrong: (until: Date, span: Duration)?
    var truth: Truth
    var hearing: Hearing
    var open: [OpenAlert]
    var status: [Int: UserStatus]
    /// People with a row that refuses changes, or has until recently.
    var broken: Set<Int>
    /// Whether each person's SMS and calls are limited per day.
    var hasBudgets: Bool
    /// Whether those of all people together are limited.
    var hasTotalBudget: Bool
    var lastTrouble: @Sendable (Endpoint) -> Date?
    /// How far the server's time may be from the true time.
    var clockBound: Duration
    /// The people whose last check-in had the right time when the server started.
    var sureAtStart: Set<Int>
    /// Whether the server's time was ahead when the server started.
    var startedAhead: Bool

    func openAlert(_ owner: Int, _ kind: AlertKind) -> OpenAlert? {
        open.first { $0.owner == owner && $0.kind == kind }
    }

    /// Returns how much later than its true time the server may place an act. A correction moves
    /// each act by the last gap, and a clock that is behind loses a twentieth of the time until
    /// then.
    func gapGrowth(since act: Date) -> Duration {
        guard let clockWrong, act < clockWrong.until else { return .zero }
        let reaction: Duration = .seconds(1)
        return min(clockWrong.until.since(act), clockWrong.span) / 20 + reaction
    }

    /// Returns whether the server may withhold SMS and calls about this person's alerts.
    func mayLackBudget(_ owner: Int) -> Bool {
        let trouble = lastTrouble(.sms(owner)) ?? .distantPast
        return hasBudgets
            && (hearing.mayHaveSpent(owner, at: now) || now.since(trouble) < .days(1))
            || hasTotalBudget && hearing.mayAllHaveSpent(at: now)
    }

    /// Returns whether the server may have withheld SMS about this person's alerts at a past time.
    func mayHaveLackedBudget(_ owner: Int, at time: Date) -> Bool {
        hasBudgets && hearing.mayHaveLackedBudget(owner, at: time)
            || hasTotalBudget && hearing.mayHaveLackedBudget(nil, at: time)
    }

    func name(_ person: Int) -> String { Names.of(person) }
}

/// A violation noticed as it happened.
struct Incident: Sendable {
    var invariant: String
    var text: String
}

public struct Violation: Sendable, Equatable, CustomStringConvertible {
    public var invariant: String
    public var text: String
    /// The time since the start of the run, in milliseconds.
    public var at: Int64

    public var description: String { "\(TimedStep.clock(at))  \(invariant): \(text)" }
}
