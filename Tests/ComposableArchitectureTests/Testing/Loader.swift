import ComposableArchitecture

@Reducer
struct Loader {
    struct State: Equatable {
        var count = 0
        var isLoading = false
    }

    enum Action: Equatable {
        case tap
        case load
        case loadTwice
        case wait
        case fail
        case response(Int)
    }

    struct Failure: Error {}

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .tap:
                state.count += 1
                return .none
            case .load:
                state.isLoading = true
                return .run { send in await send(.response(42)) }
            case .loadTwice: return .merge(.send(.response(1)), .send(.response(2)))
            case .wait: return .run { _ in try await Task.never() }
            case .fail: return .run { _ in throw Failure() }
            case .response(let count):
                state.count = count
                state.isLoading = false
                return .none
            }
        }
    }
}
