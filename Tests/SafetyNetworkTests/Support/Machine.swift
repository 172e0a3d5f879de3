import Domain
import Foundation
import Synchronization

@testable import SafetyNetwork

/// A machine whose wall clock can be set to a wrong time.
final class Machine: Sendable {
    private struct State {
        var real: Duration = .zero
        var wall = noon
        var isSynchronised = false
        var boots: Int64 = 1
        var booted: Duration = .zero
    }
    private let state = Mutex(State())

    /// - Parameter drift: how much faster the wall clock runs than real time, in parts per million.
    func pass(_ duration: Duration, drift: Double = 0) {
        state.withLock { state in
            state.real += duration
            state.wall = state.wall.addingTimeInterval(
                duration / .seconds(1) * (1 + drift / 1_000_000))
        }
    }

    func setWall(by jump: Duration) { state.withLock { $0.wall = $0.wall.adding(jump) } }

    /// Sets the wall clock to the real time.
    func correct() { state.withLock { $0.wall = noon.adding($0.real) } }

    func synchronise(_ isSynchronised: Bool = true) {
        state.withLock { $0.isSynchronised = isSynchronised }
    }

    /// Restarts the machine after a pause, with a wall clock that is `error` ahead.
    func reboot(after pause: Duration, error: Duration = .zero) {
        state.withLock { state in
            state.real += pause
            state.wall = noon.adding(state.real + error)
            state.boots += 1
            state.booted = state.real
            state.isSynchronised = false
        }
    }

    var real: Duration { state.withLock { $0.real } }
    var realTime: Date { noon.adding(real) }
    var wall: Date { state.withLock { $0.wall } }

    /// Returns the clock of a server process that starts now.
    func clock() -> ServerClock {
        ServerClock(
            wall: { self.wall }, monotonic: { self.state.withLock { $0.real - $0.booted } },
            bootID: state.withLock { $0.boots },
            isSynchronised: { self.state.withLock { $0.isSynchronised } })
    }

    /// Returns the clock of a server process after its first minute.
    func settledClock() -> ServerClock {
        let clock = clock()
        pass(.minutes(1))
        _ = clock.now()
        return clock
    }
}

extension Duration {
    var magnitude: Duration { self < .zero ? .zero - self : self }
    var minusAMillisecond: Duration { self - .milliseconds(1) }
    var plusAMillisecond: Duration { self + .milliseconds(1) }
}
