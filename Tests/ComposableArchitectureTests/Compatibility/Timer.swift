import ComposableArchitecture
import Foundation

@Reducer
struct Timer {
    @ObservableState
    struct State: Equatable {
        var dice: Int?
        var isRunning = false
        var lastTick: Date?
        var seconds = 0
        var tickIDs: [UUID] = []
    }

    enum Action: Equatable {
        case rollButtonTapped
        case start
        case stop
        case ticked
        case fact(Result<String, Never>)
    }

    enum CancelID: Hashable {
        case timer
    }

    @Dependency(\.continuousClock) var clock
    @Dependency(\.date) var date
    @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .rollButtonTapped:
            state.dice = withRandomNumberGenerator { Int.random(in: 1...6, using: &$0) }
            return .none
        case .start:
            return .run { send in
                for await _ in clock.timer(interval: .seconds(1)) {
                    await send(.ticked)
                }
            }
            .cancellable(id: CancelID.timer, cancelInFlight: true)
        case .stop:
            return .cancel(id: CancelID.timer)
        case .ticked:
            state.seconds += 1
            return .none
        case .fact:
            return .none
        }
    }
}

/// A reducer whose body is a chain of operators. `@Reducer` infers the type of the body.
@Reducer
struct Tally {
    struct State: Equatable {
        var count = 0
        var total = 0
    }

    enum Action {
        case decrementButtonTapped
        case incrementButtonTapped
        case searchChanged(String)
        case searched(String)
    }

    enum CancelID { case search }

    @Dependency(\.mainClock) var clock

    var body: some Reducer<State, Action> {
        CombineReducers {
            Reduce { state, action in
                switch action {
                case .decrementButtonTapped:
                    state.count -= 1
                    return .none
                case .incrementButtonTapped:
                    state.count += 1
                    return .none
                case .searchChanged(let text):
                    return .run { send in await send(.searched(text)) }
                        .cancellable(id: CancelID.search)
                case .searched:
                    return .none
                }
            }
            EmptyReducer()
        }
        .onChange(of: \.count) { _, newValue in
            Reduce { state, _ in
                state.total += newValue
                return .none
            }
        }
        .dependency(\.uuid, .incrementing)
        .transformDependency(\.date) { $0.now = Date(timeIntervalSince1970: 0) }
    }
}

extension DependencyValues {
    var mainClock: any Clock<Duration> {
        get { self[MainClockKey.self] }
        set { self[MainClockKey.self] = newValue }
    }

    private enum MainClockKey: DependencyKey {
        static let liveValue: any Clock<Duration> = ContinuousClock()
        static let testValue: any Clock<Duration> = ImmediateClock()
    }
}
