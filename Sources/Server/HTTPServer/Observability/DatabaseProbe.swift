import Persistence
import Synchronization

/// Checks whether the database accepts writes. Answers in time even if the database hangs.
public final class DatabaseProbe: Sendable {
    private static let stuckWrite: Duration = .seconds(5)
    /// How long an answer waits for a probe. `/health/ready` must answer within a second.
    private static let patience: Duration = .milliseconds(500)

    private let database: any DatabaseEngine
    /// The probe in progress. All callers share it: a probe is a write and queues like any other,
    /// so one probe per caller could pile up.
    private let running = Mutex<Task<Void, Never>?>(nil)

    public init(_ database: any DatabaseEngine) { self.database = database }

    /// Returns why no check-in can be stored, in words for the operator; empty if all is well.
    public func problems() async -> [String] {
        let waiting = database.health.oldestWaiting
        // A probe would only wait behind the other writes.
        guard waiting <= Self.stuckWrite else {
            return ["the database is stuck: a write waits for \(waiting)"]
        }
        if database.health.lastFailure != nil { await probe() }
        switch database.health.lastFailure {
        case nil: return []
        case .some(let failure) where failure.isOfFullDisk:
            return ["the database can't be written: its disk is full"]
        case .some: return ["the database can't be written"]
        }
    }

    /// Statements that fail permanently. They are only warnings, because they would fail on another
    /// server as well.
    public var warnings: [String] {
        database.health.refusals.map { "statements fail: \($0)" }
    }

    /// Waits until the probe has ended, but not longer than `patience`.
    private func probe() async {
        let probe = running.withLock { running in
            if let running { return running }
            let new = Task {
                try? await database.probe()
                self.running.withLock { $0 = nil }
            }
            running = new
            return new
        }
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task {
            await probe.value
            continuation.yield()
        }
        let timer = Task {
            try? await Task.sleep(for: Self.patience)
            continuation.yield()
        }
        for await _ in ends { break }
        waiting.cancel()
        timer.cancel()
    }
}
