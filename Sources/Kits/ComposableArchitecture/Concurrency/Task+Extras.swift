import Foundation

extension Task where Success == Never, Failure == Never {
    /// Lets other tasks run, for tests.
    ///
    /// Each round runs a new task at background priority, and then one at the current task's
    /// priority. Each of them is queued behind the tasks that already wait at its priority. At the
    /// end of the round the caller yields, so that the work queued on its actor runs.
    nonisolated(nonsending) public static func megaYield(count: Int = defaultMegaYieldCount) async {
        for _ in 0..<count {
            await Task<Void, Never>.detached(priority: .background) { await Task.yield() }.value
            await Task<Void, Never>.detached(priority: Task.currentPriority) { await Task.yield() }
                .value
            await Task.yield()
        }
    }

    /// Suspends until the task is cancelled.
    public static func never() async throws -> Never {
        for await element in AsyncStream<Never>.never {
            switch element {}
        }
        throw _Concurrency.CancellationError()
    }
}

/// The default number of yields in ``Swift/Task/megaYield(count:)``: `TASK_MEGA_YIELD_COUNT` from
/// the environment, otherwise 20.
public let defaultMegaYieldCount =
    ProcessInfo.processInfo.environment["TASK_MEGA_YIELD_COUNT"].flatMap(Int.init).map {
        max(0, min($0, 10_000))
    } ?? 20

extension Result where Failure == any Error {
    /// Creates the result of an asynchronous closure.
    public init(
        isolation: isolated (any Actor)? = #isolation,
        catching body: () async throws -> Success
    ) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
