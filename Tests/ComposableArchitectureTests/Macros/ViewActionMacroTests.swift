import ComposableArchitecture
import Testing

@Reducer
struct Form {
    @ObservableState
    struct State: Equatable { var taps = 0 }

    enum Action: ViewAction {
        case view(View)

        @CasePathable
        enum View { case tapped }
    }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .view(.tapped): state.taps += 1
            }
            return .none
        }
    }
}

@ViewAction(for: Form.self)
@MainActor
struct FormView {
    let store: StoreOf<Form>

    func tap() { send(.tapped) }
}

@MainActor
struct ViewActionMacroTests {
    @Test func sendsTheViewsActions() {
        let view = FormView(store: Store(initialState: Form.State()) { Form() })
        view.tap()
        #expect(view.store.state.taps == 1)
    }
}
