import ComposableArchitecture
import Testing

/// Tests outside an actor. The test's own task processes the effects' actions.
struct TestsOnNoActorTests {
    @Test func effectsSendTheirActions() async {
        let store = TestStore(initialState: Loader.State()) { Loader() }
        await store.send(.load) { $0.isLoading = true }
        await store.receive(\.response) {
            $0.count = 42
            $0.isLoading = false
        }
        await store.finish()
    }

    @Test func timersTickWhileClockAdvances() async {
        let clock = TestClock()
        let store = TestStore(initialState: CounterFeature.State()) {
            CounterFeature()
        } withDependencies: {
            $0.continuousClock = clock
        }
        await store.send(.toggleTimerButtonTapped) { $0.isTimerOn = true }
        await clock.advance(by: .seconds(3))
        for count in 1...3 { await store.receive(\.timerTicked) { $0.count = count } }
        await store.send(.toggleTimerButtonTapped) { $0.isTimerOn = false }
    }

    @Test func effectReceivesStreamOfTest() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let store = TestStore(initialState: 0) {
            Reduce<Int, Int> { state, action in
                state += action
                return action > 0
                    ? .none
                    : .run { send in for await number in stream { await send(number) } }
            }
        }
        let task = await store.send(0)
        for number in 1...50 { continuation.yield(number) }
        for number in 1...50 { await store.receive(number) { $0 += number } }
        continuation.finish()
        await task.finish()
    }

    @Test func cancelledEffectSendsNothingMore() async {
        let store = TestStore(initialState: Loader.State()) { Loader() }
        let task = await store.send(.wait)
        await task.cancel()
        await store.finish()
    }

    @Test func manyStoresRunAtOnce() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { await timersTickWhileClockAdvances() } }
        }
    }
}
