import Dispatch
import TaskWork
import Testing

@Suite(.timeLimit(.minutes(5))) struct BlockingTests {
    private struct Failure: Error, Equatable {}

    @Test(arguments: [true, false]) func resultsAndErrorsPassThrough(here: Bool) async {
        let result = await Blocking.run(here: here) { 7 }
        #expect(result == 7)
        await #expect(throws: Failure()) {
            try await Blocking.run(here: here) { () throws(Failure) -> Int in throw Failure() }
        }
    }

    @Test func blockedWorkDoesNotBlockTasks() async {
        let release = DispatchSemaphore(value: 0)
        let blocked = Task { await Blocking.run { release.wait() } }
        for number in 0..<100 { #expect(await Task.detached { number }.value == number) }
        release.signal()
        await blocked.value
    }
}
