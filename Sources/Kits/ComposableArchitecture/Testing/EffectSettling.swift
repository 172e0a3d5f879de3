import Dispatch

/// Runs the effects of one test store, one job at a time in order of arrival, and knows when all of
/// them are suspended.
///
/// A test therefore need not guess how many yields an effect takes to reach its next `await`, and
/// behaves the same on a loaded machine.
final class EffectSettling: TaskExecutor, Sendable {
    /// The executor of the store that the current effect belongs to. A test clock that has woken an
    /// effect waits until this executor's effects are suspended again.
    static var current: EffectSettling? { EffectContext.current?.executor }

    private struct Storage {
        /// The number of waiting and running jobs, and of actions on their way to the store.
        var pending = 0
        /// The total number of jobs so far.
        var begun = 0
        var waiting: [CheckedContinuation<Int, Never>] = []
        /// The task of a test that has no actor; nil if the test has one.
        var task: Int?
        /// Actions for the task, in order of arrival.
        var deliveries: [Delivery] = []
        var lastDelivery = 0
        /// Deliveries cancelled before they arrived.
        var cancelled: Set<Int> = []
    }

    private struct Delivery {
        let id: Int
        let make: UncheckedBox<() -> Void>
        let continuation: CheckedContinuation<Void, Never>
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

    /// Makes the current task receive the effects' actions whenever it waits for the effects.
    func belongToTask() {
        let task = Self.currentTask
        storage.withLock { $0.task = task ?? $0.task }
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    /// Lets the test's task run a closure, and waits until the closure has run. Skips the closure
    /// if the current task is cancelled.
    func deliverToTask(_ make: @escaping () -> Void) async {
        let box = UncheckedBox(value: make)
        let id = storage.withLock { storage in
            storage.lastDelivery += 1
            return storage.lastDelivery
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = storage.withLock { storage in
                    guard storage.cancelled.remove(id) == nil else { return true }
                    storage.deliveries.append(
                        Delivery(id: id, make: box, continuation: continuation))
                    return false
                }
                if isCancelled { continuation.resume() }
            }
        } onCancel: {
            cancelDelivery(id)
        }
        storage.withLock { _ = $0.cancelled.remove(id) }
    }

    private func cancelDelivery(_ id: Int) {
        let delivery: Delivery? = storage.withLock { storage in
            guard let position = storage.deliveries.firstIndex(where: { $0.id == id }) else {
                storage.cancelled.insert(id)
                return nil
            }
            return storage.deliveries.remove(at: position)
        }
        delivery?.continuation.resume()
    }

    /// Runs the waiting deliveries if the current task is the test's. Returns true if it ran any.
    private func makeDeliveries() -> Bool {
        let task = Self.currentTask
        var isDelivering = false
        while let delivery = storage.withLock({ storage -> Delivery? in
            guard task != nil, storage.task == task, !storage.deliveries.isEmpty else { return nil }
            return storage.deliveries.removeFirst()
        }) {
            delivery.make.value()
            delivery.continuation.resume()
            isDelivering = true
        }
        return isDelivering
    }

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

    /// Waits until no effect has a waiting or running job. Returns the total number of jobs so far.
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
    /// This executor doesn't see work that runs in another isolation, for example a client's work
    /// on the main actor. The yields between the checks let such work run.
    func settled(isolation: isolated (any Actor)? = #isolation) async {
        var begun = await idle()
        var quietTurns = 0
        while quietTurns < 3 {
            await Task.yield()
            let isDelivering = makeDeliveries()
            let now = await idle()
            quietTurns = now == begun && !isDelivering ? quietTurns + 1 : 0
            begun = now
        }
    }
}
