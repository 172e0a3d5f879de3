import Domain
import Persistence
import SafetyNetwork

/// Whether the server can do its work: a load balancer asks before it sends anybody here.
public struct Readiness: Sendable {
    private static let stuckWrite: Duration = .seconds(5)
    private static let stuckWatch: Duration = .seconds(10)

    private let database: any DatabaseEngine
    private let watch: Watch
    private let loops: [BackgroundLoop]
    private let clock: ServerClock

    public init(database: any DatabaseEngine, watch: Watch, loops: [BackgroundLoop], clock: ServerClock) {
        self.database = database
        self.watch = watch
        self.loops = loops
        self.clock = clock
    }

    /// In words for the operator; empty when all is well.
    public func problems() async -> [String] {
        var problems: [String] = []
        if database.health.oldestWaiting > Self.stuckWrite {
            // A probe would only wait behind the others.
            problems.append("the database is stuck: a write waits for \(database.health.oldestWaiting)")
        } else {
            if database.health.lastFailure != nil { try? await database.probe() }
            if database.health.lastFailure != nil { problems.append("the database can't be written") }
        }
        switch watch.sinceLastLook {
        case nil: problems.append("the watch has not looked yet")
        case .some(let age) where age > Self.stuckWatch: problems.append("the watch is stuck since \(age.components.seconds) s")
        default: break
        }
        for loop in loops where loop.hasFailed { problems.append("\(loop.name) fails") }
        if abs(clock.gap.milliseconds) > Duration.hours(1).milliseconds {
            problems.append("the machine's clock was set by \(clock.gap.components.seconds) s; restart the server if it is right now")
        }
        return problems
    }
}
