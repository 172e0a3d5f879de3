import Synchronization

/// Limits how many tasks work at once. The others wait, first come, first served.
public final class Turns: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    public init(_ width: Int) { state = Mutex(State(free: width)) }

    public var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Waits for a turn, then runs `work`. Cancelling the task doesn't end the wait.
    public func run<Value: Sendable>(_ work: () async throws -> Value) async rethrows -> Value {
        await acquire()
        defer { giveBack() }
        return try await work()
    }

    private func acquire() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
