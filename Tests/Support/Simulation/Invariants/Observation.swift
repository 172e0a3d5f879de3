import Domain
import Foundation

/// The input of an invariant: the observer's truth beside the server's rows.
struct Observation: Sendable {
    /// An open alert, as it stands in its row.
    struct OpenAlert: Sendable {
        var id: AlertID
        var owner: Int
        var kind: AlertKind
        var startedAt: Date
        var escalationFrom: Date
        var nextDue: Date?
    }

    /// True time.
    var now: Date
    var serverNow: Date
    /// The server's time when the deadline monitor last came to rest.
    var lastPass: Date
    /// When this server began to run.
    var runningSince: Date
    /// True time since which nothing is wrong with disk and clock; nil while something is.
    var soundSince: Date?
    /// The server was down before `runningSince`, for this long.
    var downtime: Duration
    /// The machine's clock was wrong when machine and server started.
    var startedWrong: Bool
    /// True time until which the clock was wrong, and how long it was.
    var clockWrong: (until: Date, span: Duration)?
    var truth: Truth
    var hearing: Hearing
    var open: [OpenAlert]
    var status: [Int: UserStatus]
    /// People with a row that refuses changes, or did a moment ago.
    var broken: Set<Int>
    var lastTrouble: @Sendable (Endpoint) -> Date?

    func openAlert(_ owner: Int, _ kind: AlertKind) -> OpenAlert? {
        open.first { $0.owner == owner && $0.kind == kind }
    }

    func name(_ person: Int) -> String { Names.of(person) }
}

/// Something that must not be, noticed when it happened.
struct Incident: Sendable {
    var invariant: String
    var text: String
}

/// A broken invariant.
public struct Violation: Sendable, Equatable, CustomStringConvertible {
    public var invariant: String
    public var text: String
    /// Milliseconds since the start of the run.
    public var at: Int64

    public var description: String { "\(TimedStep.clock(at))  \(invariant): \(text)" }
}
