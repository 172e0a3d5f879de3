import Dispatch

/// Runs blocking work outside the threads that all tasks share.
public enum Blocking {
    /// Runs `work` on a thread of its own and returns its result.
    /// - Parameter here: true to run the work on the caller's thread, for a single-threaded
    ///   simulation.
    public static func run<Value: Sendable, Failure: Error>(
        here: Bool = false, _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard !here else { return try work() }
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            start {
                do throws(Failure) { continuation.resume(returning: .success(try work())) } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Makes a new serial queue each time. On Linux, concurrent queues use the threads that all
    /// tasks share.
    static func start(_ work: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "blocking").async { work() }
    }
}
