import ComposableArchitecture

@testable import LivePages
@testable import Web

/// A small feature with a sheet, and with a press that a browser stores while it is offline.
@Reducer
struct Visits {
    @ObservableState
    struct State: Equatable, Sendable {
        var count = 0
        var isOpen = false
        var user = ""
    }

    enum Action: Equatable, Sendable { case visitButtonTapped, opened(Bool) }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .visitButtonTapped: state.count += 1
            case .opened(let isOpen): state.isOpen = isOpen
            }
            return .none
        }
    }

    static func view(_ state: State) -> HTML<Action> {
        main(.id("content")) {
            h1 { "Visits" }
            section {
                p { "\(state.count) visits" }
                button(.keptOffline(.checkIn)) { "Visit" }.onTap(.visitButtonTapped)
            }
            .key("visits")
        }
    }
}
