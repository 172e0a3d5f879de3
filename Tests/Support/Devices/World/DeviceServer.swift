import Domain
import Foundation
import InProcessTransport
import Persistence
import SafetyNetwork
import TestApp

/// The real server with a real database, on the scheduler's thread and in its time.
final class DeviceServer: Sendable {
    private let app: TestApp

    static let start = TestTime.noon
    static let now: @Sendable () -> Date = { start.adding(Scheduler.shared.now) }

    init(path: String, ids: Ids) throws {
        app = try TestApp(.file(path)) { setup in
            setup.options.checkInsPerHour = CheckInLimits.perHour
            setup.random = ids.random
            setup.makeID = { ids.uuid() }
            setup.now = Self.now
            setup.runsOnCallersThread = true
            setup.onCommit = { Scheduler.shared.touch() }
        }
    }

    var network: SafetyNetwork { app.network }
    var engine: any DatabaseEngine { app.engine }

    var transport: InProcessTransport { app.transport }

    func code(for number: String) throws -> String? { try app.sentCode(for: number) }

    /// Does the work that a server does every 15 seconds.
    func tick() async throws {
        app.keepStreamsAlive()
        _ = try await app.deadlineMonitor.handleDueDeadlines()
    }

    func close() { app.close() }
}
