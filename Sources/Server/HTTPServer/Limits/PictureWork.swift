import Domain
import Foundation
import Synchronization

/// Runs work on pictures outside of the event loops, because it blocks. Limits the concurrency,
/// because each picture takes memory.
public final class PictureWork: Sendable {
    private let slots: DispatchSemaphore
    private let places: Mutex<Int>
    private let slotQueue = DispatchQueue(label: "lifesignal.pictures.slots")

    /// - Parameters:
    ///   - width: the maximum number of concurrent pictures.
    ///   - queue: the maximum number of waiting pictures.
    public init(width: Int = 2, queue: Int = 16) {
        places = Mutex(width + queue)
        slots = DispatchSemaphore(value: width)
    }

    var freePlaces: Int { places.withLock { $0 } }

    /// Rethrows the errors of `work`. Throws `unavailable` if too many pictures are waiting.
    func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws -> Value {
        let hasPlace = places.withLock { places in
            guard places > 0 else { return false }
            places -= 1
            return true
        }
        guard hasPlace else {
            throw CommandError.unavailable("Too many pictures at the moment. Please try again.")
        }
        defer { places.withLock { $0 += 1 } }
        return try await withCheckedThrowingContinuation { continuation in
            // A serial queue, so only one thread waits for a slot.
            slotQueue.async { [slots] in
                slots.wait()
                // A new queue for each picture: on Linux, concurrent queues share their threads
                // with all tasks.
                DispatchQueue(label: "lifesignal.pictures").async {
                    defer { slots.signal() }
                    do throws(Failure) { continuation.resume(returning: try work()) } catch {
                        continuation.resume(throwing: error)
                    }
                }
            }
        }
    }
}
