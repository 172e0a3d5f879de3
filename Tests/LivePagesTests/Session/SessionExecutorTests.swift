import Synchronization
import Testing

@testable import LivePages

@Suite struct SessionExecutorTests {
    private final class Record: Sendable {
        private struct State {
            var numbers: [Int] = []
            var running = 0
            var most = 0
        }

        private let state = Mutex(State())

        var numbers: [Int] { state.withLock { $0.numbers } }
        /// The maximum number of jobs that ran at the same time.
        var most: Int { state.withLock { $0.most } }

        func add(_ number: Int) { state.withLock { $0.numbers.append(number) } }

        func begin() {
            state.withLock {
                $0.running += 1
                $0.most = max($0.most, $0.running)
            }
        }

        func end() { state.withLock { $0.running -= 1 } }
    }

    private actor Counter {
        var value = 0
        func add() { value += 1 }
    }

    private let executor = SessionExecutor()

    @Test func jobsRunInOrderOfArrival() async {
        let record = Record()
        let count = 3 * SessionExecutor.turn
        let tasks = (0..<count).map { number in
            Task(executorPreference: executor) { record.add(number) }
        }
        for task in tasks { await task.value }
        #expect(record.numbers == Array(0..<count))
    }

    @Test func oneJobRunsAtATime() async {
        let record = Record()
        let tasks = (0..<20).map { _ in
            Task(executorPreference: executor) { [executor] in
                for _ in 0..<20 {
                    record.begin()
                    record.end()
                    await executor.yield()
                }
            }
        }
        for task in tasks { await task.value }
        #expect(record.most == 1)
    }

    @Test func yieldLetsWaitingJobsRunFirst() async {
        let record = Record()
        let first = Task(executorPreference: executor) { [executor] in
            let other = Task(executorPreference: executor) { record.add(1) }
            await executor.yield()
            record.add(2)
            await other.value
        }
        await first.value
        #expect(record.numbers == [1, 2])
    }

    @Test func actorsAndOtherTasksWorkTogether() async {
        let counter = Counter()
        let inside = (0..<50).map { _ in
            Task(executorPreference: executor) { await counter.add() }
        }
        let outside = (0..<50).map { _ in Task { await counter.add() } }
        for task in inside + outside { await task.value }
        #expect(await counter.value == 100)
    }

    @Test func tasksKeepTheirExecutor() async {
        let task = Task(executorPreference: SessionExecutor()) {
            await Task.yield()
            return 1
        }
        #expect(await task.value == 1)
    }
}
