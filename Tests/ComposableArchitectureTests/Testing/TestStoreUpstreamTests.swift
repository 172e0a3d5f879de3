import ComposableArchitecture
import Testing

/// Cases where a test store must behave as in Point-Free's library.
@MainActor
struct TestStoreUpstreamTests {
    @Test func assertionSeesPreviousState() async {
        let store = TestStore(initialState: Loader.State()) { Loader() }
        await store.send(.tap) {
            #expect(store.state.count == 0)
            $0.count = 1
        }
        #expect(store.state.count == 1)
        await store.send(.load) { $0.isLoading = true }
        await store.receive(\.response) {
            #expect(store.state.count == 1)
            $0.count = 42
            $0.isLoading = false
        }
        #expect(store.state.count == 42)
    }

    @Test func skippedEffectsContinue() async {
        let clock = TestClock()
        let store = TestStore(initialState: Sleeper.State()) {
            Sleeper()
        } withDependencies: {
            $0.continuousClock = clock
        }
        await store.send(.sleep)
        await store.skipInFlightEffects()
        await store.finish()
        await clock.advance(by: .seconds(1))
        await store.receive(\.woken) { $0.isAwake = true }
    }
}

@Reducer
private struct Sleeper {
    @ObservableState
    struct State: Equatable { var isAwake = false }
    enum Action { case sleep, woken }
    @Dependency(\.continuousClock) var clock
    var body: some ReducerOf<Self> {
        Reduce { state, action in
            guard case .sleep = action else {
                state.isAwake = true
                return .none
            }
            return .run { send in
                try await clock.sleep(for: .seconds(1))
                await send(.woken)
            }
        }
    }
}
