import Domain
import Persistence
import SafetyNetwork

/// Readiness to take check-ins: a load balancer asks before it sends anybody here. All other
/// trouble is a warning, because taking every server away helps nobody.
public struct Readiness: Sendable {
    private static let stuckWrite: Duration = .seconds(5)
    private static let stuckMonitor: Duration = .seconds(10)

    private let database: any DatabaseEngine
    private let deadlineMonitor: DeadlineMonitor
    private let loops: [BackgroundLoop]
    private let clock: ServerClock
    private let otherWarnings: [@Sendable () -> [String]]

    /// - Parameter warnings: of parts that this type does not know, in words for the operator.
    public init(
        database: any DatabaseEngine, deadlineMonitor: DeadlineMonitor, loops: [BackgroundLoop],
        clock: ServerClock,
        warnings: [@Sendable () -> [String]] = []
    ) {
        self.database = database
        self.deadlineMonitor = deadlineMonitor
        self.loops = loops
        self.clock = clock
        otherWarnings = warnings
    }

    /// Why no check-in can be taken, in words for the operator; empty when all is well.
    public func problems() async -> [String] { await Self.problems(of: database) }

    public static func problems(of database: any DatabaseEngine) async -> [String] {
        let waiting = database.health.oldestWaiting
        // A probe would only wait behind the others.
        guard waiting <= stuckWrite else {
            return ["the database is stuck: a write waits for \(waiting)"]
        }
        if database.health.lastFailure != nil { try? await database.probe() }
        return database.health.lastFailure == nil ? [] : ["the database can't be written"]
    }

    /// Further problems for the operator.
    public func warnings() -> [String] {
        var warnings: [String] = []
        switch deadlineMonitor.timeSinceLastPass {
        case nil: warnings.append("the deadline monitor has not finished a pass yet")
        case .some(let age) where age > Self.stuckMonitor:
            warnings.append("the deadline monitor is stuck since \(age.components.seconds) s")
        default: break
        }
        for loop in loops where loop.hasFailed { warnings.append("\(loop.name) fails") }
        if let warning = clock.warning { warnings.append(warning) }
        return warnings + otherWarnings.flatMap { $0() }
    }
}
