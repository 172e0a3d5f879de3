import Dispatch

/// Runs the effects of one test store, one job at a time, in order of arrival. Knows when all of
/// the effects are suspended.
///
/// A test therefore needs no guess of how many yields an effect takes, and a loaded machine doesn't
/// change the result.
final class EffectSettling: TaskExecutor, Sendable {
    /// The executor of the current effect's store. A test clock that wakes an effect waits until
    /// this executor's effects are suspended.
    static var current: EffectSettling? { EffectContext.current?.executor as? EffectSettling }

    private struct Storage {
        /// Waiting and running jobs, and actions on their way to the store.
        var pending = 0
        /// The total number of jobs so far.
        var begun = 0
        var waiting: [CheckedContinuation<Int, Never>] = []
        /// The test's task, for a test outside an actor; otherwise nil.
        var task: Int?
        /// Actions for the test's task, in order of arrival.
        var deliveries: [Delivery] = []
        var lastDelivery = 0
        /// The ids of deliveries that were cancelled before they were queued.
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

    /// Makes the current task process the effects' actions whenever the task waits for effects.
    func belongToTask() {
        let task = Self.currentTask
        storage.withLock { $0.task = task ?? $0.task }
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    /// Waits until the test's task has run a closure. Skips the closure if the current task is
    /// cancelled.
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

    /// Runs the waiting deliveries if the current task is the test's task. Returns true if any ran.
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

    /// Waits until no job waits or runs. Returns the total number of jobs so far.
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
    /// Other isolations can do work for an effect, such as a client on the main actor. This
    /// executor can't see such work, so this method yields several times to let the work run.
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
