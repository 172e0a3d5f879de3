import ComposableArchitecture

/// A feature that counts, synchronously or through effects.
@Reducer
struct Counter {
    @ObservableState
    struct State: Equatable, Sendable {
        var count = 0
    }

    enum Action: Sendable {
        case tapped
        case started(roundTrips: Int)
        case startedAtOnce(roundTrips: Int)
    }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            state.count += 1
            switch action {
            case .tapped:
                return .none
            case .started(let roundTrips):
                guard roundTrips > 0 else { return .none }
                return .run { send in await send(.started(roundTrips: roundTrips - 1)) }
            case .startedAtOnce(let roundTrips):
                return .merge((0..<roundTrips).map { _ in .run { send in await send(.tapped) } })
            }
        }
    }
}

@Reducer
struct Screen {
    @ObservableState
    struct State: Equatable, Sendable {
        var title = "Screen"
        var counter: Counter.State? = Counter.State()
    }

    enum Action: Sendable {
        case counter(Counter.Action)
        case closed
    }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            if case .closed = action { state.counter = nil }
            return .none
        }
        .ifLet(\.counter, action: \.counter) { Counter() }
    }
}

@Reducer
struct Tab {
    @ObservableState
    struct State: Equatable, Sendable {
        var name = "Tab"
        var screen = Screen.State()
    }

    enum Action: Sendable {
        case screen(Screen.Action)
        case selected
    }

    var body: some ReducerOf<Self> {
        Scope(state: \.screen, action: \.screen) { Screen() }
        Reduce { _, _ in .none }
    }
}

@Reducer
struct Main {
    @ObservableState
    struct State: Equatable, Sendable {
        var badge = 0
        var tab = Tab.State()
    }

    enum Action: Sendable {
        case tab(Tab.Action)
        case appeared
    }

    var body: some ReducerOf<Self> {
        Scope(state: \.tab, action: \.tab) { Tab() }
        Reduce { _, _ in .none }
    }
}

/// An app: three levels of `Scope` and an `ifLet` above the counter.
@Reducer
struct App {
    @ObservableState
    struct State: Equatable, Sendable {
        var user: String? = "Blob"
        var main = Main.State()
    }

    enum Action: Sendable {
        case main(Main.Action)
        case launched
    }

    var body: some ReducerOf<Self> {
        Scope(state: \.main, action: \.main) { Main() }
        Reduce { _, _ in .none }
    }
}

extension App.Action {
    static func counter(_ action: Counter.Action) -> Self {
        .main(.tab(.screen(.counter(action))))
    }
}
