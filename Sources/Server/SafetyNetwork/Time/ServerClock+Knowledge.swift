import Domain
import Foundation
import Persistence
import Synchronization

extension ServerClock {
    /// How far the machine's clock is ahead of the server's time; negative if it is behind.
    public var gap: Duration { state.withLock { $0.gap } }

    /// The gap if it exceeds 5 seconds, which means that one of the two clocks is wrong; otherwise
    /// zero.
    public var knownError: Duration {
        let gap = gap
        return gap.size > Self.notableGap ? gap : .zero
    }

    /// True if the kernel says that the machine's clock is right. It is false if the kernel doesn't
    /// say.
    public var isSynchronised: Bool { state.withLock { $0.isSynchronised } }

    /// A warning for the operator; nil while no error is known.
    public var warning: String? {
        let error = knownError
        guard error != .zero else { return nil }
        if let shared { return shared.warning(error) }
        let direction = error > .zero ? "ahead of" : "behind"
        return """
            the machine's clock is \(error.size.components.seconds) s \(direction) the server's \
            time, and nothing says \
            that it is right; synchronise it, or start the server with --trust-clock if it is right
            """
    }

    /// The oldest correction that hasn't been applied to the rows; see `settle`.
    public var correction: ClockCorrection? { state.withLock { $0.corrections.first } }

    public func settle(_ correction: ClockCorrection) {
        state.withLock { if $0.corrections.first == correction { $0.corrections.removeFirst() } }
    }

    /// The last sign of life before this process started, converted to this process's time.
    public var lastSignOfLife: Date? { state.withLock { $0.lastSignOfLife } }

    /// The state of the clock for the next process.
    public var memory: ClockMemory {
        state.withLock { state in
            read(&state)
            if let shared { return shared.memory(of: state) }
            let trust: ClockMemory.Trust =
                if state.isDisproved { .atLeast } else if let steady = state.steady {
                    .steady(steady.time, since: steady.since)
                } else { .full }
            return ClockMemory(
                time: state.time, since: state.since, trust: trust, boot: state.boot, bootID: bootID
            )
        }
    }
}

extension Duration {
    var size: Duration { self < .zero ? .zero - self : self }
}
