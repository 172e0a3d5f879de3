import ComposableArchitecture
import Testing

@Reducer
private struct Leaf {
    @ObservableState
    struct State: Equatable {
        var count = 0
        var isMarked = false
    }

    enum Action { case count, mark, replace }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .count: state.count += 1
            case .mark: state.isMarked = true
            case .replace: state = State(count: state.count)
            }
            return .none
        }
    }
}

/// A feature that stores child states in each kind of property.
@Reducer
private struct Tree {
    @ObservableState
    struct State: Equatable {
        var before = "x"
        var plain = Leaf.State()
        var watched = Leaf.State() { didSet { changes += 1 } }
        var changes = 0
        @ObservationStateIgnored var ignored = Leaf.State()
        var computed: Leaf.State {
            get { stored }
            set {
                stored = newValue
                changes += 100
            }
        }
        var stored = Leaf.State()
        var inner = Inner()
        var optional: Leaf.State? = Leaf.State()
        var after = 7
    }

    @ObservableState
    struct Inner: Equatable { var leaf = Leaf.State() }

    enum Action {
        case plain(Leaf.Action), watched(Leaf.Action), ignored(Leaf.Action), computed(Leaf.Action),
            inner(Leaf.Action), optional(Leaf.Action)
    }

    var body: some ReducerOf<Self> {
        Scope(state: \.plain, action: \.plain) { Leaf() }
        Scope(state: \.watched, action: \.watched) { Leaf() }
        Scope(state: \.ignored, action: \.ignored) { Leaf() }
        Scope(state: \.computed, action: \.computed) { Leaf() }
        Scope(state: \.inner.leaf, action: \.inner) { Leaf() }
        EmptyReducer().ifLet(\.optional, action: \.optional) { Leaf() }
    }
}

/// Each action must reach the child, in any kind of property.
@MainActor
struct PlaceTests {
    private let store = Store(initialState: Tree.State()) { Tree() }

    /// Sends the action. Returns true if an observer of the values that `read` returns is notified.
    private func isTold<Value>(_ read: (StoreOf<Tree>) -> Value, by action: Tree.Action) -> Bool {
        let told = LockIsolated(false)
        withObservationTracking {
            _ = read(store)
        } onChange: {
            told.setValue(true)
        }
        store.send(action)
        return told.value
    }

    @Test func everyActionChangesItsProperty() {
        for round in 1...4 {
            for action in [
                Tree.Action.plain(.count), .watched(.count), .ignored(.count), .computed(.count),
                .inner(.count), .optional(.count),
            ] {
                store.send(action)
            }
            var expected = Tree.State()
            expected.plain.count = round
            expected.watched.count = round
            expected.ignored.count = round
            expected.stored.count = round
            expected.inner.leaf.count = round
            expected.optional?.count = round
            expected.changes = 101 * round
            store.withState { #expect($0 == expected) }
        }
    }

    @Test func observersAreNotifiedOnlyOfTheirChanges() {
        for _ in 0..<3 {
            #expect(isTold(\.plain.count, by: .plain(.count)))
            #expect(isTold(\.inner.leaf.count, by: .inner(.count)))
            #expect(isTold(\.optional?.count, by: .optional(.count)))
            #expect(isTold(\.watched.count, by: .watched(.count)))
            #expect(isTold(\.changes, by: .watched(.count)))
            #expect(!isTold(\.plain.isMarked, by: .plain(.count)))
            #expect(!isTold(\.plain, by: .plain(.count)))
            #expect(!isTold(\.optional?.isMarked, by: .optional(.count)))
            #expect(!isTold(\.plain.count, by: .inner(.count)))
        }
    }

    @Test func selfReplacingChildNotifiesObservers() {
        for _ in 0..<3 {
            #expect(isTold(\.plain.isMarked, by: .plain(.replace)))
            #expect(isTold(\.plain, by: .plain(.replace)))
            #expect(isTold(\.optional, by: .optional(.replace)))
        }
    }

    @Test func laterObserversAreNotified() {
        for _ in 0..<3 { store.send(.plain(.count)) }
        #expect(isTold(\.plain.count, by: .plain(.count)))
        #expect(isTold(\.plain, by: .plain(.replace)))
        #expect(store.plain.count == 4)
    }

    @Test func readDuringActionSeesPreviousState() {
        // `unsafe` is correct here: `onChange` runs on the main actor.
        nonisolated(unsafe) let store = store
        for round in 0..<3 {
            let seen = LockIsolated(-1)
            withObservationTracking {
                _ = store.plain.count
            } onChange: {
                seen.setValue(store.withState(\.plain.count))
            }
            store.send(.plain(.count))
            #expect(seen.value == round)
        }
    }
}

/// Tests a reducer that sends actions to another store, like a client that contains a store.
@MainActor
struct ReducersAmongEachOtherTests {
    @Test func observerNotifiedDuringReducerKeepsObserving() {
        // `unsafe` is correct here: only the main actor uses the store.
        nonisolated(unsafe) let inner = Store(initialState: Leaf.State()) { Leaf() }
        let seen = LockIsolated<[Int]>([])
        @Sendable func watch() {
            withObservationTracking {
                let count = inner.count
                seen.withValue { $0.append(count) }
            } onChange: {
                watch()
            }
        }
        watch()
        let outer = Store(initialState: Leaf.State()) {
            Reduce<Leaf.State, Leaf.Action> { _, action in
                inner.send(action)
                return .none
            }
        }
        for _ in 0..<3 { outer.send(.count) }
        #expect(seen.value == [0, 0, 1, 2])
        #expect(inner.count == 3)
    }
}
