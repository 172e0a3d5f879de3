import Dispatch

/// Runs the effects of one test store, one piece of work at a time in the order of their coming,
/// and knows when all of them are suspended.
///
/// A test therefore need not guess how many yields an effect takes to get to its next `await`, and
/// is the same on a loaded machine.
final class EffectSettling: TaskExecutor, Sendable {
    /// The settling of the store whose effect the current task is: clocks in tests wait for it
    /// after they have woken an effect.
    static var current: EffectSettling? { EffectContext.current?.executor }

    private struct Storage {
        /// Pieces of work that wait or run, and actions on their way to the store.
        var pending = 0
        /// How many there ever were.
        var begun = 0
        var waiting: [CheckedContinuation<Int, Never>] = []
        /// The task of a test that is on no actor.
        var task: Int?
        /// Actions that the task takes, by the order of their coming.
        var deliveries: [Delivery] = []
        var lastDelivery = 0
        /// Deliveries whose task was cancelled before they were there.
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

    /// The current task takes the actions that effects bring, whenever it waits for them.
    func belongToTask() {
        let task = Self.currentTask
        storage.withLock { $0.task = task ?? $0.task }
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    /// Has the test's task do something, and waits for that. It is left out when this task is
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

    /// Returns whether there was something to be done, and this is the task to do it.
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

    /// Waits until no work of the effects is waiting or running; returns how many pieces there were
    /// so far.
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
    /// This executor does not see work in another isolation, such as a client on the main actor;
    /// the yields in between let it run.
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
