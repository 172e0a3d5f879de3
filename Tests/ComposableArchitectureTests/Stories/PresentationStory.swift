import ComposableArchitecture
import Testing

@Reducer
struct ItemForm {
    @ObservableState
    struct State: Equatable, Identifiable {
        let id: Int
        var name = ""
        var isSaving = false
    }

    enum Action: BindableAction, Equatable {
        case binding(BindingAction<State>)
        case saveButtonTapped
        case saved
        case cancelButtonTapped
        case watch
        case delegate(Delegate)

        @CasePathable
        enum Delegate: Equatable { case save(State) }
    }

    @Dependency(\.dismiss) var dismiss
    @Dependency(\.isPresented) var isPresented
    @Dependency(\.continuousClock) var clock

    var body: some ReducerOf<Self> {
        BindingReducer()
        Reduce { state, action in
            switch action {
            case .binding(\.name):
                state.isSaving = false
                return .none
            case .binding, .delegate, .saved:
                return .none
            case .saveButtonTapped:
                state.isSaving = isPresented
                return .run { [state] send in
                    try await clock.sleep(for: .seconds(1))
                    await send(.delegate(.save(state)))
                    await dismiss()
                    await send(.saved)
                }
            case .cancelButtonTapped:
                return .run { _ in await dismiss() }
            case .watch:
                return .run { _ in try await Task.never() }
            }
        }
    }
}

@Reducer
struct Inventory {
    @ObservableState
    struct State: Equatable {
        @Presents var form: ItemForm.State?
        @Presents var alert: AlertState<Action.Alert>?
        var names: [String] = []
    }

    enum Action: Equatable {
        case addButtonTapped(id: Int)
        case alert(PresentationAction<Alert>)
        case clearButtonTapped
        case form(PresentationAction<ItemForm.Action>)

        @CasePathable
        enum Alert: Equatable { case confirmClear }
    }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .addButtonTapped(let id):
                state.form = ItemForm.State(id: id)
                return .none
            case .alert(.presented(.confirmClear)):
                state.names = []
                return .none
            case .clearButtonTapped:
                state.alert = AlertState {
                    TextState("Clear?")
                } actions: {
                    ButtonState(role: .destructive, action: .confirmClear) { TextState("Clear") }
                    ButtonState(role: .cancel) { TextState("Keep") }
                }
                return .none
            case .form(.presented(.delegate(.save(let item)))):
                state.names.append(item.name)
                return .none
            case .alert, .form:
                return .none
            }
        }
        .ifLet(\.$form, action: \.form) { ItemForm() }
        .ifLet(\.$alert, action: \.alert)
    }
}

@MainActor
struct PresentationStory {
    @Test func savesAndDismisses() async {
        let clock = TestClock()
        let store = TestStore(initialState: Inventory.State()) {
            Inventory()
        } withDependencies: {
            $0.continuousClock = clock
        }
        await store.send(.addButtonTapped(id: 1)) { $0.form = ItemForm.State(id: 1) }
        await store.send(\.form.binding.name, "Lamp") { $0.form?.name = "Lamp" }
        await store.send(\.form.saveButtonTapped) { $0.form?.isSaving = true }
        await clock.advance(by: .seconds(1))
        await store.receive(\.form.delegate.save) { $0.names = ["Lamp"] }
        // The store drops actions that the effect sends after dismissing its feature.
        await store.receive(\.form.dismiss) { $0.form = nil }
    }

    @Test func effectsEndWithChild() async {
        let store = TestStore(initialState: Inventory.State(form: ItemForm.State(id: 1))) {
            Inventory()
        }
        await store.send(\.form.watch)
        await store.send(\.form.cancelButtonTapped)
        await store.receive(\.form.dismiss) { $0.form = nil }
        await store.finish()
    }

    @Test func effectsEndWhenChildIsReplaced() async {
        let store = TestStore(initialState: Inventory.State(form: ItemForm.State(id: 1))) {
            Inventory()
        }
        await store.send(\.form.watch)
        await store.send(.addButtonTapped(id: 2)) { $0.form = ItemForm.State(id: 2) }
        await store.finish()
    }

    @Test func effectsEndAfterExternalRemovalOfChild() async {
        let store = TestStore(initialState: Inventory.State(form: ItemForm.State(id: 1))) {
            CombineReducers {
                Inventory()
                Reduce { state, action in
                    if action == .clearButtonTapped { state.form = nil }
                    return .none
                }
            }
        }
        store.exhaustivity = .off
        let watching = await store.send(\.form.watch)
        await store.send(.clearButtonTapped) { $0.form = nil }
        await store.send(\.alert.dismiss) { $0.alert = nil }
        await watching.finish()
    }

    @Test func effectsEndAfterExternalReplacementOfChild() async {
        let store = TestStore(initialState: Inventory.State(form: ItemForm.State(id: 1))) {
            CombineReducers {
                Inventory()
                Reduce { state, action in
                    if action == .clearButtonTapped { state.form = ItemForm.State(id: 2) }
                    return .none
                }
            }
        }
        store.exhaustivity = .off
        let first = await store.send(\.form.watch)
        await store.send(.clearButtonTapped)
        let second = await store.send(\.form.watch)
        await first.finish()
        await second.cancel()
    }

    @Test func rememberedChildIsNotPartOfState() {
        var state = Inventory.State(form: ItemForm.State(id: 1))
        let before = state
        _ = Inventory().reduce(into: &state, action: .form(.presented(.saved)))
        #expect(state == before)
        #expect(state.$form == before.$form)
    }

    @Test func parentDismisses() async {
        let store = TestStore(initialState: Inventory.State(form: ItemForm.State(id: 1))) {
            Inventory()
        }
        await store.send(\.form.watch)
        await store.send(\.form.dismiss) { $0.form = nil }
    }

    @Test func buttonDismissesAlert() async {
        let store = TestStore(initialState: Inventory.State(names: ["Lamp"])) { Inventory() }
        await store.send(.clearButtonTapped) {
            $0.alert = AlertState {
                TextState("Clear?")
            } actions: {
                ButtonState(role: .destructive, action: .confirmClear) { TextState("Clear") }
                ButtonState(role: .cancel) { TextState("Keep") }
            }
        }
        await store.send(\.alert.confirmClear) {
            $0.alert = nil
            $0.names = []
        }
    }

    @Test func standaloneFormUsesDismissalOfTest() async {
        await confirmation { dismissed in
            let store = TestStore(initialState: ItemForm.State(id: 1)) {
                ItemForm()
            } withDependencies: {
                $0.dismiss = DismissEffect { dismissed() }
            }
            await store.send(.cancelButtonTapped)
        }
    }
}
