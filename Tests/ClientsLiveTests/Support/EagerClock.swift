import ClientsLive
import Domain
import Foundation
import Synchronization

/// A clock whose short sleeps end immediately. Long sleeps last, because they serve to detect a
/// dead stream. A test can hold the clock, which stops all retries.
final class EagerClock: Clock {
    typealias Instant = ManualClock.Instant

    private struct State {
        var now = Instant(offset: .zero)
        var isHeld = false
        var held: [UUID: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())
    private let limit: Duration

    /// - Parameter limit: the longest sleep that ends immediately. A longer sleep lasts until its
    ///   task is cancelled.
    init(limit: Duration = .seconds(40)) { self.limit = limit }

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }
    var client: ClientClock { ClientClock(self) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        guard now.duration(to: deadline) < limit else {
            return try await ManualClock().sleep(until: .init(offset: .seconds(1)), tolerance: nil)
        }
        await Task.yield()
        let id = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isHeld = state.withLock { state in
                    guard state.isHeld, !Task.isCancelled else {
                        state.now = max(state.now, deadline)
                        return false
                    }
                    state.held[id] = continuation
                    return true
                }
                if !isHeld { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.held.removeValue(forKey: id) }?.resume()
        }
        try Task.checkCancellation()
    }

    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let held = state.withLock { state in
            state.isHeld = false
            defer { state.held = [:] }
            return state.held
        }
        for sleeper in held.values { sleeper.resume() }
    }
}

/// Creates ids in ascending order.
final class Counter: Sendable {
    private let value = Mutex(UInt16(0))

    func uuid() -> UUID {
        let number = value.withLock { value in
            value += 1
            return value
        }
        return UUID(
            uuid: (
                0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 1, UInt8(number >> 8),
                UInt8(number & 0xFF)
            ))
    }
}
