import Domain
import TaskWork

/// Runs work on pictures outside of the event loops, because it blocks. Limits the concurrency,
/// because each picture takes memory.
public final class PictureWork: Sendable {
    private let pool: BlockingPool

    /// - Parameters:
    ///   - width: the maximum number of concurrent pictures.
    ///   - queue: the maximum number of waiting pictures.
    public init(width: Int = 2, queue: Int = 16) { pool = BlockingPool(width: width, queue: queue) }

    var freePlaces: Int { pool.freePlaces }

    /// Rethrows the errors of `work`. Throws `unavailable` if too many pictures are waiting, and
    /// `CancellationError` if the task is cancelled before its turn.
    func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws -> Value {
        do {
            return try await pool.run(work)
        } catch is BlockingPool.Full {
            throw CommandError.unavailable("Too many pictures at the moment. Please try again.")
        }
    }
}
