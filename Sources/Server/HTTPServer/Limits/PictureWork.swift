import Domain
import Foundation
import Synchronization

/// Runs work on pictures, which blocks and takes memory, away from the event loops and only so much
/// of it at a time.
public final class PictureWork: Sendable {
    private let slots: DispatchSemaphore
    private let places: Mutex<Int>
    private let slotQueue = DispatchQueue(label: "lifesignal.pictures.slots")

    /// - Parameters:
    ///   - width: how many pictures are worked on at the same time.
    ///   - queue: how many may wait besides.
    public init(width: Int = 2, queue: Int = 16) {
        places = Mutex(width + queue)
        slots = DispatchSemaphore(value: width)
    }

    /// How many more may be given.
    var freePlaces: Int { places.withLock { $0 } }

    /// Throws what `work` throws, and `unavailable` when too many pictures wait already.
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
            // One thread waits for a slot, however many pictures wait.
            slotQueue.async { [slots] in
                slots.wait()
                // A queue of its own each time: on Linux the threads of concurrent queues are those
                // of all tasks.
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
