import Foundation

extension Task where Success == Never, Failure == Never {
    /// Lets other tasks run, for tests.
    ///
    /// Each round waits for a new task at background priority, and then for a new task at the
    /// current priority. Each new task runs after the tasks already queued at its priority. The
    /// final yield lets the work queued on the caller's actor run.
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

/// The default number of rounds of ``Swift/Task/megaYield(count:)``: the environment variable
/// `TASK_MEGA_YIELD_COUNT`, or 20.
public let defaultMegaYieldCount =
    ProcessInfo.processInfo.environment["TASK_MEGA_YIELD_COUNT"].flatMap(Int.init).map {
        max(0, min($0, 10_000))
    } ?? 20

extension Result where Failure == any Error {
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
