import ComposableArchitecture
import Testing

@Reducer
struct Row {
    @ObservableState
    struct State: Equatable, Identifiable {
        let id: Int
        var ticks = 0
    }

    enum Action: Equatable {
        case start
        case stop
        case ticked
        case removeButtonTapped
    }

    @Dependency(\.continuousClock) var clock
    enum CancelID { case timer }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .start:
                return .run { send in
                    while true {
                        try await clock.sleep(for: .seconds(1))
                        await send(.ticked)
                    }
                }
                .cancellable(id: CancelID.timer)
            case .stop: return .cancel(id: CancelID.timer)
            case .ticked:
                state.ticks += 1
                return .none
            case .removeButtonTapped: return .none
            }
        }
    }
}

@Reducer
struct Rows {
    @ObservableState
    struct State: Equatable {
        var rows: IdentifiedArrayOf<Row.State> = []
    }

    enum Action {
        case rows(IdentifiedActionOf<Row>)
        case stopAll
    }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .rows(.element(let id, .removeButtonTapped)):
                state.rows.remove(id: id)
                return .none
            case .rows:
                return .none
            case .stopAll:
                return .cancel(id: Row.CancelID.timer)
            }
        }
        .forEach(\.rows, action: \.rows) { Row() }
    }
}

@MainActor
struct RowsStory {
    let clock = TestClock()

    private func makeStore() -> TestStoreOf<Rows> {
        TestStore(initialState: Rows.State(rows: [Row.State(id: 1), Row.State(id: 2)])) {
            Rows()
        } withDependencies: {
            $0.continuousClock = clock
        }
    }

    @Test func removedRowCancelsItsEffects() async {
        let store = makeStore()
        await store.send(\.rows[id: 1].start)
        await store.send(\.rows[id: 2].start)
        await clock.advance(by: .seconds(1))
        await store.receive(\.rows[id: 1].ticked) { $0.rows[id: 1]?.ticks = 1 }
        await store.receive(\.rows[id: 2].ticked) { $0.rows[id: 2]?.ticks = 1 }
        await store.send(\.rows[id: 1].removeButtonTapped) { $0.rows.remove(id: 1) }
        await clock.advance(by: .seconds(2))
        await store.receive(\.rows[id: 2].ticked) { $0.rows[id: 2]?.ticks = 2 }
        await store.receive(\.rows[id: 2].ticked) { $0.rows[id: 2]?.ticks = 3 }
        await store.send(\.rows[id: 2].stop)
    }

    @Test func rowCancelsOnlyItsOwnEffects() async {
        let store = makeStore()
        await store.send(\.rows[id: 1].start)
        await store.send(\.rows[id: 2].start)
        await store.send(\.rows[id: 1].stop)
        await clock.advance(by: .seconds(1))
        await store.receive(\.rows[id: 2].ticked) { $0.rows[id: 2]?.ticks = 1 }
        await store.send(.stopAll)
    }

    @Test func missingRowIsReported() async {
        let store = makeStore()
        await withKnownIssue {
            await store.send(\.rows[id: 3].ticked)
        } matching: { issue in
            issue.description.contains(#"A "forEach" at "#)
                && issue.description.contains("received an action for a missing element")
        }
    }
}
