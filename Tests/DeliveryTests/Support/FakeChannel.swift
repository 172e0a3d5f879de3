import Domain
import Foundation
import Persistence
import Synchronization

@testable import Delivery

final class FakeChannel: Delivery.Channel {
    private struct State {
        var results: [DeliveryResult] = []
        var tries: [LeasedDelivery] = []
        var running = 0
        var mostRunning = 0
        var isHeld = false
        var heldUsers: Set<UserID> = []
        var held: [CheckedContinuation<Void, Never>] = []
    }

    let kind: DeliveryChannel
    private let state = Mutex(State())
    private let began = AsyncStream.makeStream(of: Void.self)
    private let during: @Sendable (LeasedDelivery) async -> Void

    /// - Parameter during: called during each attempt.
    init(
        _ kind: DeliveryChannel = .webhook,
        during: @escaping @Sendable (LeasedDelivery) async -> Void = { _ in }
    ) {
        self.kind = kind
        self.during = during
    }

    var tries: [LeasedDelivery] { state.withLock { $0.tries } }
    var mostRunning: Int { state.withLock { $0.mostRunning } }

    /// Sets the results of the next attempts. Later attempts are accepted.
    func answer(_ results: DeliveryResult...) { state.withLock { $0.results = results } }
    /// Pauses the attempts to `users`; without users, all attempts. `letGo` continues them.
    func hold(_ users: UserID...) {
        state.withLock { state in
            state.isHeld = true
            state.heldUsers = Set(users)
        }
    }

    func letGo() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.isHeld = false
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Waits until `count` more attempts have begun.
    func beginning(of count: Int) async {
        var iterator = began.stream.makeAsyncIterator()
        for _ in 0..<count { await iterator.next() }
    }

    func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        state.withLock { state in
            state.tries.append(delivery)
            state.running += 1
            state.mostRunning = max(state.mostRunning, state.running)
        }
        await during(delivery)
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                let isHeld =
                    state.isHeld
                    && (state.heldUsers.isEmpty || state.heldUsers.contains(delivery.record.userID))
                if isHeld { state.held.append(continuation) }
                return isHeld
            }
            began.continuation.yield()
            if !isHeld { continuation.resume() }
        }
        return state.withLock { state in
            state.running -= 1
            return state.results.isEmpty
                ? .accepted(providerID: nil) : state.results.removeFirst()
        }
    }
}
