import ComposableArchitecture
import Testing

@Suite struct ConcurrencyTests {
    @Test func lockIsolatedCountsAcrossTasks() async {
        let count = LockIsolated(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 {
                group.addTask { count.withValue { $0 += 1 } }
            }
        }
        #expect(count.value == 1_000)
        count.setValue(3)
        #expect(count.value == 3)
        #expect(LockIsolated([1, 2]).count == 2)
        #expect(LockIsolated(1) == LockIsolated(1))
        #expect(LockIsolated(1) != LockIsolated(2))
    }

    @Test func streams() async {
        for await _ in AsyncStream<Int>.finished { Issue.record("an element") }
        let never = Task { for await _ in AsyncStream<Int>.never {} }
        never.cancel()
        await never.value
    }

    @Test func neverEndsWithItsTask() async {
        let task = Task { () async throws -> Void in try await Task.never() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func resultCatches() async {
        struct Failure: Error {}
        let success = await Result {
            await Task.yield(); return 1
        }
        #expect(success[case: \.success] == 1)
        let failure = await Result { () async throws -> Int in throw Failure() }
        #expect(failure.is(\.failure))
    }
}
