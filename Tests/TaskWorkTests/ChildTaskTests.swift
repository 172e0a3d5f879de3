import TaskWork
import Testing

@Suite(.timeLimit(.minutes(5))) struct ChildTaskTests {
    private struct Failure: Error {}

    @Test func returnsTheResult() async throws {
        #expect(try await inChildTask { 1 } == 1)
        #expect(try await inChildTask { nil as Int? } == nil)
        await #expect(throws: Failure.self) { try await inChildTask { throw Failure() } }
    }

    @Test func cancellationReachesTheWork() async {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let silence = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await inChildTask {
                begin.yield()
                for await _ in silence.stream {}
                try Task.checkCancellation()
            }
        }
        for await _ in begun { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
