import Foundation

extension Task where Success == Never, Failure == Never {
    /// Lets other tasks run, for tests.
    ///
    /// A task goes in each round through the queue of a low priority and through that of this
    /// task, behind what waits there, and so does the caller through the queue of its actor.
    nonisolated(nonsending) public static func megaYield(count: Int = defaultMegaYieldCount) async {
        for _ in 0..<count {
            await Task<Void, Never>.detached(priority: .background) { await Task.yield() }.value
            await Task<Void, Never>.detached(priority: Task.currentPriority) { await Task.yield() }
                .value
            await Task.yield()
        }
    }

    /// Never returns, until the task is cancelled.
    public static func never() async throws -> Never {
        for await element in AsyncStream<Never>.never {
            switch element {}
        }
        throw _Concurrency.CancellationError()
    }
}

/// How often ``Swift/Task/megaYield(count:)`` yields: `TASK_MEGA_YIELD_COUNT` in the environment,
/// else 20.
public let defaultMegaYieldCount =
    ProcessInfo.processInfo.environment["TASK_MEGA_YIELD_COUNT"].flatMap(Int.init).map {
        max(0, min($0, 10_000))
    } ?? 20

extension Result where Failure == any Error {
    /// The result of an asynchronous closure.
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
