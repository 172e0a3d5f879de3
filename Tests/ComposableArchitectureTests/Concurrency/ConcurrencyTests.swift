import ComposableArchitecture
import Testing

@Suite struct ConcurrencyTests {
    @Test func lockIsolatedCountsFromManyTasks() async {
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

    @Test func streams() async throws {
        for await _ in AsyncStream<Int>.finished { Issue.record("an element") }
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            for try await _ in AsyncThrowingStream<Int, any Error>.finished(throwing: Failure()) {}
        }
        let numbers = AsyncStream { continuation in
            for number in 1...3 { continuation.yield(number) }
            continuation.finish()
        }
        var received: [Int] = []
        for await number in numbers.map({ $0 * 2 }).eraseToStream() { received.append(number) }
        #expect(received == [2, 4, 6])
        let never = Task { for await _ in AsyncStream<Int>.never {} }
        never.cancel()
        await never.value
    }

    @Test func neverEndsWithItsTask() async {
        let task = Task { () async throws -> Void in try await Task.never() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func cancellableValueHandsCancellationOn() async {
        let inner = Task { () async throws -> Void in try await Task.never() }
        let outer = Task { try await inner.cancellableValue }
        outer.cancel()
        await #expect(throws: CancellationError.self) { try await outer.value }
        #expect(inner.isCancelled)
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

    @Test func uncheckedSendable() async {
        var value = UncheckedSendable([1])
        value.value.append(2)
        #expect(value.count == 2)
        value.wrappedValue = []
        #expect(value.isEmpty)
    }
}
