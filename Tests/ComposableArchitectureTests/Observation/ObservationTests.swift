import ComposableArchitecture
import Testing

@Reducer
private struct Family {
    @ObservableState
    struct State: Equatable {
        var title = ""
        var note = ""
        var child = Kid.State()
        @Presents var guest: Kid.State?
        var kids: IdentifiedArrayOf<Kid.State> = []
        var saved: Kid.State?
    }

    enum Action {
        case titleChanged(String)
        case child(Kid.Action)
        case guest(PresentationAction<Kid.Action>)
        case kids(IdentifiedActionOf<Kid>)
        case replaceChild(Kid.State)
        case restoreChild
        case show(Kid.State?)
        case add(Kid.State)
        case reset
    }

    var body: some ReducerOf<Self> {
        Scope(state: \.child, action: \.child) { Kid() }
        Reduce { state, action in
            switch action {
            case .titleChanged(let title): state.title = title
            case .child(.grow) where state.saved == nil: state.saved = state.child
            case .child, .guest, .kids: break
            case .replaceChild(let child): state.child = child
            case .restoreChild: state.child = state.saved ?? state.child
            case .show(let guest): state.guest = guest
            case .add(let kid): state.kids.append(kid)
            case .reset: state = State()
            }
            return .none
        }
        .ifLet(\.$guest, action: \.guest) { Kid() }
        .forEach(\.kids, action: \.kids) { Kid() }
    }
}

@Reducer
private struct Kid {
    @ObservableState
    struct State: Equatable, Identifiable {
        var id = 0
        var age = 0
        var name = ""
    }

    enum Action { case grow, rename(String) }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .grow: state.age += 1
            case .rename(let name): state.name = name
            }
            return .none
        }
    }
}

@MainActor
struct ObservationTests {
    private let store = Store(initialState: Family.State()) { Family() }

    /// Sends the actions. Returns true if an observer of the values that `read` returns is
    /// notified.
    private func isTold<Value>(_ read: (StoreOf<Family>) -> Value, by actions: Family.Action...)
        -> Bool
    {
        let told = LockIsolated(false)
        withObservationTracking {
            _ = read(store)
        } onChange: {
            told.setValue(true)
        }
        for action in actions { store.send(action) }
        return told.value
    }

    @Test func observesOneProperty() {
        #expect(isTold(\.title, by: .titleChanged("x")))
        #expect(!isTold(\.note, by: .titleChanged("y")))
    }

    @Test func equalValueNotifiesNoObserver() {
        store.send(.titleChanged("x"))
        #expect(!isTold(\.title, by: .titleChanged("x")))
        #expect(isTold(\.title, by: .titleChanged("y")))
    }

    @Test func equalNewChildCountsAsReplacement() {
        #expect(isTold(\.child, by: .replaceChild(Kid.State())))
        #expect(store.child == Kid.State())
    }

    @Test func observesChildsProperty() {
        #expect(isTold(\.child.age, by: .child(.grow)))
        #expect(!isTold(\.child.name, by: .child(.grow)))
        #expect(!isTold(\.child, by: .child(.grow)), "the child is still the same")
        #expect(isTold(\.child.name, by: .replaceChild(Kid.State(name: "x"))))
    }

    @Test func restoredChildNotifiesObservers() {
        store.send(.child(.grow))
        store.send(.child(.grow))
        #expect(store.child.age == 2)
        #expect(isTold(\.child.age, by: .restoreChild))
        #expect(store.child.age == 1)
    }

    @Test func assignedDraftNotifiesObservers() {
        var draft = store.child
        draft.age = 9
        #expect(isTold(\.child.age, by: .replaceChild(draft)))
        #expect(store.child.age == 9)
    }

    @Test func unobservedReadsAreNotNotified() {
        #expect(
            !isTold({ store in withoutObservation { store.title } }, by: .titleChanged("Roe")))
        #expect(
            isTold(
                { store in
                    withoutObservation { _ = store.note }
                    return store.title
                }, by: .titleChanged("Doe")))
    }

    /// An action sent inside `withoutObservation` can notify an observer. The observer's own reads
    /// must still be recorded.
    @Test func unobservedActionsStillNotify() {
        let store = Store(initialState: Family.State()) { Family() }
        var titles: [String] = []
        func observe() {
            withObservationTracking {
                titles.append(store.title)
            } onChange: {
                MainActor.assumeIsolated { titles.append("changed") }
            }
        }
        observe()
        withoutObservation { _ = store.send(.titleChanged("Roe")) }
        observe()
        withoutObservation { _ = store.send(.titleChanged("Doe")) }
        #expect(titles == ["", "changed", "Roe", "changed"])
    }

    @Test func observesScopedStore() {
        let child = store.scope(state: \.child, action: \.child)
        #expect(isTold({ _ in child.age }, by: .child(.grow)))
        #expect(!isTold({ _ in child.name }, by: .child(.grow)))
        #expect(isTold({ _ in child.name }, by: .replaceChild(Kid.State(name: "x"))))
        #expect(child.name == "x")
        child.send(.grow)
        #expect(store.child.age == 1)
        #expect(child == store.scope(state: \.child, action: \.child))
        #expect(child.hashValue == store.scope(state: \.child, action: \.child).hashValue)
    }

    @Test func observesPresentedChild() {
        #expect(isTold(\.guest, by: .show(Kid.State())))
        #expect(isTold(\.guest?.age, by: .guest(.presented(.grow))))
        #expect(!isTold(\.guest?.name, by: .guest(.presented(.grow))))
        let guest = store.scope(state: \.guest, action: \.guest)
        #expect(guest?.age == 2)
        guest?.send(.grow)
        #expect(guest?.age == 3)
        #expect(isTold(\.guest, by: .guest(.dismiss)))
        #expect(store.scope(state: \.guest, action: \.guest.presented) == nil)
        #expect(guest?.age == 3, "what was seen last stays")
    }

    @Test func observesRows() {
        #expect(isTold(\.kids, by: .add(Kid.State(id: 1)), .add(Kid.State(id: 2))))
        #expect(isTold({ $0.kids[id: 1]?.age }, by: .kids(.element(id: 1, action: .grow))))
        #expect(!isTold({ $0.kids[id: 1]?.age }, by: .kids(.element(id: 2, action: .grow))))
        #expect(!isTold(\.kids.count, by: .kids(.element(id: 2, action: .grow))))
        let rows = store.scope(state: \.kids, action: \.kids)
        #expect(rows.map(\.age) == [1, 2])
        rows.first?.send(.grow)
        #expect(store.kids[id: 1]?.age == 2)
    }

    @Test func observesWholeState() {
        #expect(!isTold(\.state, by: .titleChanged("x")))
        #expect(isTold(\.title, by: .reset))
        #expect(isTold(\.state, by: .reset))
    }

    @Test func observeRepeats() async {
        var titles: [String] = []
        var token: ObserveToken? = observe { titles.append(store.title) }
        store.send(.titleChanged("a"))
        store.send(.titleChanged("b"))
        while titles.count < 2 { await Task.yield() }
        store.send(.titleChanged("c"))
        while titles.count < 3 { await Task.yield() }
        _ = token
        token = nil
        store.send(.titleChanged("d"))
        for _ in 0..<100 { await Task.yield() }
        #expect(titles == ["", "b", "c"])
    }
}
