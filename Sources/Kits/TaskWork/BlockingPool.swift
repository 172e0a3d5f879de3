import Dispatch
import Synchronization

/// Runs blocking work outside the threads that all tasks share. Limits the concurrency, for work
/// that takes memory.
public final class BlockingPool: Sendable {
    /// Too much work is waiting.
    public struct Full: Error {}

    /// Each running job holds one.
    private let slots: DispatchSemaphore
    /// The free places. Each running or waiting job holds one.
    private let places: Mutex<Int>
    private let slotQueue = DispatchQueue(label: "blocking.slots")

    /// - Parameters:
    ///   - width: the number of simultaneous jobs, at least 1.
    ///   - queue: the number of jobs that may wait.
    public init(width: Int, queue: Int) {
        slots = DispatchSemaphore(value: max(1, width))
        places = Mutex(max(1, width) + queue)
    }

    /// The number of jobs that can be added now, to run or to wait.
    public var freePlaces: Int { places.withLock { $0 } }

    /// Runs `work` in its turn. Throws the errors of `work`, and `Full` when too many jobs wait.
    /// Throws `CancellationError` when the task is cancelled before its turn.
    public func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let hasPlace = places.withLock { places in
            guard places > 0 else { return false }
            places -= 1
            return true
        }
        guard hasPlace else { throw Full() }
        defer { places.withLock { $0 += 1 } }
        let job = BlockingJob(work)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard job.wait(continuation) else {
                    return continuation.resume(throwing: CancellationError())
                }
                start(job)
            }
        } onCancel: {
            job.cancel()
        }
    }

    private func start<Value: Sendable>(_ job: BlockingJob<Value>) {
        // One thread waits for a slot, no matter how many jobs wait.
        slotQueue.async { [slots] in
            slots.wait()
            guard let (work, continuation) = job.take() else {
                slots.signal()
                return
            }
            Blocking.start {
                defer { slots.signal() }
                continuation.resume(with: Result { try work() })
            }
        }
    }
}
