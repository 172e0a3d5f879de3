import Dispatch
import Synchronization
import TaskWork
import Testing

@Suite(.timeLimit(.minutes(5))) struct BlockingPoolTests {
    @Test func noMoreJobsWaitThanAllowed() async throws {
        let pool = BlockingPool(width: 1, queue: 2)
        let release = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { try await pool.run { release.wait() } } }
            while pool.freePlaces > 0 { await Task.yield() }
            await #expect(throws: BlockingPool.Full.self) { try await pool.run {} }
            for _ in 0..<3 { release.signal() }
            try await group.waitForAll()
        }
        #expect(pool.freePlaces == 3)
        #expect(try await pool.run { 7 } == 7)
    }

    @Test func cancelledWorkIsNotDone() async throws {
        let pool = BlockingPool(width: 1, queue: 1)
        let (release, done) = (DispatchSemaphore(value: 0), Flag())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run { release.wait() } }
            while pool.freePlaces > 1 { await Task.yield() }
            let waiting = Task {
                try await pool.run { done.isSet.withLock { $0 = true } }
            }
            while pool.freePlaces > 0 { await Task.yield() }
            waiting.cancel()
            // The waiting task ends immediately, and frees its place.
            await #expect(throws: CancellationError.self) { try await waiting.value }
            #expect(pool.freePlaces == 1)
            release.signal()
            try await group.waitForAll()
        }
        #expect(try await pool.run { 7 } == 7)
        #expect(!done.isSet.withLock { $0 })
    }

    private final class Flag: Sendable { let isSet = Mutex(false) }

    @Test func startedWorkFinishesAfterCancellation() async throws {
        let pool = BlockingPool(width: 1, queue: 0)
        let (begun, release) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        let working = Task {
            try await pool.run {
                begun.continuation.yield()
                release.wait()
                return 7
            }
        }
        for await _ in begun.stream { break }
        working.cancel()
        release.signal()
        #expect(try await working.value == 7)
        #expect(pool.freePlaces == 1)
    }

    /// On Linux, concurrent dispatch queues share their threads with all tasks.
    @Test func waitingJobsDoNotBlockTasks() async throws {
        let pool = BlockingPool(width: 8, queue: 32)
        let release = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 { group.addTask { try await pool.run { release.wait() } } }
            while pool.freePlaces > 0 { await Task.yield() }
            for number in 0..<100 { #expect(await Task.detached { number }.value == number) }
            for _ in 0..<40 { release.signal() }
            try await group.waitForAll()
        }
    }

    @Test func poolRunsAtLeastOneJob() async throws {
        let pool = BlockingPool(width: 0, queue: 0)
        #expect(pool.freePlaces == 1)
        #expect(try await pool.run { 7 } == 7)
    }
}
