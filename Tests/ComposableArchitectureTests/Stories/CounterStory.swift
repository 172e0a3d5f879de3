import ComposableArchitecture
import Testing

@Reducer
struct CounterFeature {
    @ObservableState
    struct State: Equatable {
        var count = 0
        var isTimerOn = false
    }

    enum Action: Equatable {
        case incrementButtonTapped
        case decrementButtonTapped
        case timerTicked
        case toggleTimerButtonTapped
    }

    @Dependency(\.continuousClock) var clock

    enum CancelID { case timer }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .incrementButtonTapped, .timerTicked:
                state.count += 1
                return .none
            case .decrementButtonTapped:
                state.count -= 1
                return .none
            case .toggleTimerButtonTapped:
                state.isTimerOn.toggle()
                guard state.isTimerOn else { return .cancel(id: CancelID.timer) }
                return .run { send in
                    for await _ in clock.timer(interval: .seconds(1)) { await send(.timerTicked) }
                }
                .cancellable(id: CancelID.timer)
            }
        }
    }
}

@MainActor
struct CounterStory {
    @Test func countsByHand() async {
        let store = TestStore(initialState: CounterFeature.State()) { CounterFeature() }
        await store.send(.incrementButtonTapped) { $0.count = 1 }
        await store.send(.decrementButtonTapped) { $0.count = 0 }
        await store.send(\.decrementButtonTapped) { $0.count = -1 }
    }

    @Test func countsByTimer() async {
        let clock = TestClock()
        let store = TestStore(initialState: CounterFeature.State()) {
            CounterFeature()
        } withDependencies: {
            $0.continuousClock = clock
        }
        await store.send(.toggleTimerButtonTapped) { $0.isTimerOn = true }
        await clock.advance(by: .seconds(1))
        await store.receive(\.timerTicked) { $0.count = 1 }
        await clock.advance(by: .seconds(3))
        await store.receive(.timerTicked) { $0.count = 2 }
        await store.receive(.timerTicked) { $0.count = 3 }
        await store.receive({ $0 == .timerTicked }) { $0.count = 4 }
        await store.send(.toggleTimerButtonTapped) { $0.isTimerOn = false }
        await clock.advance(by: .seconds(3))
    }

    // A stored property of a suite is created before the test runs on the main actor.
    let store = TestStore(initialState: CounterFeature.State()) {
        CounterFeature()
    } withDependencies: {
        $0.continuousClock = ImmediateClock()
    }

    @Test func storeWorksAsStoredProperty() async {
        await store.send(.incrementButtonTapped) { $0.count = 1 }
        store.exhaustivity = .off
        await store.send(.toggleTimerButtonTapped) { $0.isTimerOn = true }
        await store.receive(\.timerTicked)
        await store.send(.toggleTimerButtonTapped)
        await store.skipReceivedActions(strict: false)
    }
}
