import ComposableArchitecture
import Testing

/// Code that compiles with Point-Free's Composable Architecture, and must also compile with this
/// implementation.
@MainActor
struct UpstreamSignatureTests {
    @Test func testStoreInfersStateFromReducer() async {
        let store = TestStore(initialState: .init()) { Loader() }
        store.timeout = .seconds(1)
        await store.send(.tap) { $0.count = 1 }
    }

    @Test func bodyDeterminesReducerTypes() async {
        let store = TestStore(initialState: 1) { Sum() }
        await store.send(true) { $0 = 2 }
        let named = TestStore(initialState: 2) { NamedSum() }
        await named.send(false) { $0 = 1 }
    }

    @Test func buttonDismissesAlertInPlainOptional() async {
        let store = TestStore(initialState: Question.State(alert: .delete)) { Question() }
        await store.send(.alert(.confirmed)) {
            $0.alert = nil
            $0.isDeleted = true
        }
    }

    @Test func caseOfPresentationCanBeSet() {
        var state = Door.State(way: .left(1))
        #expect(state.$way[case: \.left] == 1)
        state.$way[case: \.left] = 2
        #expect(state.way == .left(2))
        withKnownIssue { state.$way[case: \.right] = "x" }
        #expect(state.way == .left(2))
        state.$way[case: \.left] = nil
        #expect(state.way == nil)
    }

    @Test func effectCanHaveName() async {
        let name = LockIsolated<String?>(nil)
        let store = Store(initialState: 0) {
            Reduce<Int, Bool> { _, _ in
                .run(priority: .high, name: "Search") { _ in name.setValue(Task.name) }
            }
        }
        await store.send(true).finish()
        #expect(name.value == "Search")
    }
}

@Reducer
private struct Sum {
    var body: some Reducer<Int, Bool> {
        Reduce { state, isUp in
            state += isUp ? 1 : -1
            return .none
        }
    }
}

@Reducer
private struct NamedSum {
    var body: some ReducerOf<Sum> { Sum() }
}

@Reducer
private struct Question {
    @ObservableState
    struct State: Equatable {
        var alert: AlertState<Alert>?
        var isDeleted = false
    }

    enum Alert { case confirmed }
    enum Action { case alert(Alert) }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            if case .alert(.confirmed) = action { state.isDeleted = true }
            return .none
        }
        .ifLet(\.alert, action: \.alert)
    }
}

extension AlertState<Question.Alert> {
    fileprivate static let delete = Self {
        TextState("Delete?")
    } actions: {
        ButtonState(action: .confirmed) { TextState("Delete") }
    }
}

private enum Door {
    @ObservableState
    struct State: Equatable {
        @Presents var way: Way?
    }

    @CasePathable
    enum Way: Equatable { case left(Int), right(String) }
}
