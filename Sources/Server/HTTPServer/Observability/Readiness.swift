import Domain
import Persistence
import SafetyNetwork

/// Tells whether this server can store check-ins. A load balancer asks before it sends requests.
/// Other problems are only warnings: all servers would have them, and the load balancer would have
/// no server left.
public struct Readiness: Sendable {
    private static let stuckMonitor: Duration = .seconds(10)

    private let database: DatabaseProbe
    private let deadlineMonitor: DeadlineMonitor
    private let deadlineLoop: BackgroundLoop?
    private let loops: [BackgroundLoop]
    private let clock: ServerClock
    private let otherWarnings: [@Sendable () -> [String]]

    /// - Parameter deadlineLoop: the loop that runs `deadlineMonitor`; nil for a monitor that never
    ///   sleeps longer than a second.
    public init(
        database: any DatabaseEngine, deadlineMonitor: DeadlineMonitor,
        deadlineLoop: BackgroundLoop? = nil, loops: [BackgroundLoop], clock: ServerClock,
        warnings: [@Sendable () -> [String]] = []
    ) {
        self.database = DatabaseProbe(database)
        self.deadlineMonitor = deadlineMonitor
        self.deadlineLoop = deadlineLoop
        self.loops = loops
        self.clock = clock
        otherWarnings = warnings
    }

    /// Returns the reasons why no check-in can be stored, as texts for the operator.
    public func problems() async -> [String] { await database.problems() }

    public func warnings() -> [String] {
        var warnings = database.warnings
        if let lastPass = deadlineMonitor.timeSinceLastPass {
            let age = min(lastPass, deadlineLoop?.timeWithoutProgress ?? lastPass)
            if age > Self.stuckMonitor {
                warnings.append("the deadline monitor is stuck since \(age.components.seconds) s")
            }
        } else {
            warnings.append("the deadline monitor has not finished a pass yet")
        }
        if let warning = deadlineMonitor.warning { warnings.append(warning) }
        for loop in loops where loop.hasFailed { warnings.append("\(loop.name) fails") }
        if let warning = clock.warning { warnings.append(warning) }
        return warnings + otherWarnings.flatMap { $0() }
    }
}
