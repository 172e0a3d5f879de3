import Dispatch

/// Runs the effects of one test store, one piece of work at a time in the order of their coming, and knows when all of them are suspended.
///
/// So a test need not guess how many yields an effect takes to get to its next `await`, and is the same on a loaded machine.
final class EffectSettling: TaskExecutor, Sendable {
    /// Of the store whose effect the current task is: clocks in tests wait for it after they have woken an effect.
    static var current: EffectSettling? { EffectContext.current?.executor }

    private struct Storage {
        /// Pieces of work that wait or run, and actions on their way to the store.
        var pending = 0
        /// How many there ever were.
        var begun = 0
        var waiting: [CheckedContinuation<Int, Never>] = []
    }

    private let queue = DispatchQueue(label: "ComposableArchitecture.TestStore.effects")
    private let storage = Guarded(Storage())

    func enqueue(_ job: consuming ExecutorJob) {
        begin()
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.end()
        }
    }

    func deliveryBegins() { begin() }
    func deliveryEnds() { end() }

    private func begin() {
        storage.withLock {
            $0.pending += 1
            $0.begun += 1
        }
    }

    private func end() {
        let (waiting, begun) = storage.withLock { storage in
            storage.pending -= 1
            guard storage.pending == 0 else { return ([CheckedContinuation<Int, Never>](), 0) }
            defer { storage.waiting = [] }
            return (storage.waiting, storage.begun)
        }
        for continuation in waiting { continuation.resume(returning: begun) }
    }

    /// Waits until no work of the effects is waiting or running; returns how many pieces there were so far.
    private func idle() async -> Int {
        await withCheckedContinuation { continuation in
            let begun: Int? = storage.withLock { storage in
                guard storage.pending > 0 else { return storage.begun }
                storage.waiting.append(continuation)
                return nil
            }
            if let begun { continuation.resume(returning: begun) }
        }
    }

    /// Waits until all effects are suspended or have ended.
    ///
    /// What an effect does in another isolation, such as a client on the main actor, is not seen by this executor; the yields in between let it happen.
    func settled(isolation: isolated (any Actor)? = #isolation) async {
        var begun = await idle()
        var quietTurns = 0
        while quietTurns < 3 {
            await Task.yield()
            let now = await idle()
            quietTurns = now == begun ? quietTurns + 1 : 0
            begun = now
        }
    }
}
