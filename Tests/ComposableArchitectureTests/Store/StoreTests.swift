import ComposableArchitecture
import Foundation
import Testing

@Reducer
private struct Countdown {
    @ObservableState
    struct State: Equatable, Sendable { var steps = 0 }
    enum Action: Sendable { case begin(Int), effects(Int) }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            state.steps += 1
            switch action {
            case .begin(let left): return left > 0 ? .send(.begin(left - 1)) : .none
            case .effects(let left):
                return left > 0 ? .run { send in await send(.effects(left - 1)) } : .none
            }
        }
    }
}

private struct Numbers: Reducer {
    typealias Action = Int

    struct State {
        var numbers: [Int]

        /// A list with room, so that only a copy moves it.
        init() {
            numbers = []
            numbers.reserveCapacity(64)
        }

        var address: Int { numbers.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) } }
    }

    func reduce(into state: inout State, action: Int) -> Effect<Int> {
        state.numbers.append(action)
        return action > 100 ? .send(action - 100) : .none
    }
}

@MainActor
struct StoreTests {
    /// Returns where a state was after each of ten actions.
    private func addresses(isObserved: Bool) -> Set<Int> {
        let store = Store(initialState: Numbers.State(), isObserved: isObserved) { Numbers() }
        let addresses = (1...10).map { number in
            store.send(number)
            return store.withState(\.address)
        }
        #expect(store.withState(\.numbers) == Array(1...10))
        return Set(addresses)
    }

    @Test func unobservedStateIsChangedInPlace() {
        #expect(addresses(isObserved: false).count == 1)
        #expect(addresses(isObserved: true).count > 1)
    }

    @Test func unobservedStoreProcessesActionsInOrder() {
        let store = Store(initialState: Numbers.State(), isObserved: false) { Numbers() }
        store.send(201)
        store.send(2)
        #expect(store.withState(\.numbers) == [201, 101, 1, 2])
    }

    @Test func longChainDoesNotOverflowStack() {
        let store = Store(initialState: Countdown.State()) { Countdown() }
        store.send(.begin(100_000))
        #expect(store.steps == 100_001)
    }

    @Test func effectsCanBeChained() async {
        let store = Store(initialState: Countdown.State()) { Countdown() }
        await store.send(.effects(1_000)).finish()
        #expect(store.steps == 1_001)
    }

    @Test func actionsSentDuringActionWait() async {
        // `unsafe` is correct here: `onChange` runs on the main actor.
        nonisolated(unsafe) let store = Store(initialState: Probe.State()) { Probe() }
        var seen: [String] = []
        var later: StoreTask?
        let gate = Gate()
        withObservationTracking {
            store.withState { _ in }
        } onChange: {
            // `onChange` runs during the first action, on the main actor, which is the store's
            // actor.
            MainActor.assumeIsolated {
                seen = store.withState(\.log)
                later = store.send(
                    .run(
                        .run { send in
                            await gate.wait()
                            await send(.log("third"))
                        }))
                store.send(.log("second"))
            }
        }
        store.send(.log("first"))
        #expect(seen == [])
        #expect(store.withState(\.log) == ["first", "second"])
        gate.open()
        await later?.finish()
        #expect(store.withState(\.log) == ["first", "second", "third"])
    }

    @Test func actionsFromManyTasksAllArrive() async {
        let store = Store(initialState: Countdown.State()) { Countdown() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask { @MainActor in
                    for _ in 0..<10 { store.send(.begin(0)) }
                }
            }
        }
        #expect(store.steps == 1_000)
    }

    @Test func reducerUsesStoresDependencies() async {
        let one = Store(initialState: Identifying.State()) {
            Identifying()
        } withDependencies: {
            $0.uuid = .constant(UUID(1))
        }
        let two = Store(initialState: Identifying.State()) {
            Identifying()
        } withDependencies: {
            $0.uuid = .constant(UUID(2))
        }
        await one.send(.ask).finish()
        await two.send(.ask).finish()
        #expect(one.withState(\.ids) == [UUID(9), UUID(1)])
        #expect(two.withState(\.ids) == [UUID(9), UUID(2)])
    }

    @Test func statesYieldsStates() async {
        var store: StoreOf<Countdown>? = Store(initialState: Countdown.State()) { Countdown() }
        var states = store?.states.makeAsyncIterator()
        #expect(await states?.next() == Countdown.State(steps: 0))
        store?.send(.begin(2))
        #expect(await states?.next() == Countdown.State(steps: 3))
        store?.send(.begin(0))
        store?.send(.begin(0))
        #expect(await states?.next() == Countdown.State(steps: 5))
        store = nil
        #expect(await states?.next() == nil)
    }

    @Test func oneSignalCoversSeveralChanges() async {
        var store: StoreOf<Countdown>? = Store(initialState: Countdown.State()) { Countdown() }
        var changes = store?.stateChanges.makeAsyncIterator()
        store?.send(.begin(0))
        store?.send(.begin(0))
        #expect(await changes?.next() != nil)
        store = nil
        #expect(await changes?.next() == nil)
    }

    @Test func tenThousandStoresAreDeallocated() async {
        let made = LockIsolated(0)
        for _ in 0..<10_000 {
            let store = Store(initialState: Counted.State(box: Box(made))) { Counted() }
            store.send(.start)
        }
        await eventually { made.value == 0 }
        #expect(made.value == 0)
    }
}

private final class Box: Sendable {
    let count: LockIsolated<Int>

    init(_ count: LockIsolated<Int>) {
        self.count = count
        count.withValue { $0 += 1 }
    }

    deinit { count.withValue { $0 -= 1 } }
}

@Reducer
private struct Counted {
    struct State { let box: Box }
    enum Action { case start }
    var body: some ReducerOf<Self> {
        Reduce { state, _ in
            .run { [box = state.box] _ in
                defer { _ = box }
                try await Task.never()
            }
        }
    }
}

@Reducer
private struct Identifying {
    struct State: Equatable { var ids: [UUID] = [] }
    enum Action: Sendable { case ask, got(UUID) }
    @Dependency(\.uuid) var uuid
    var body: some ReducerOf<Self> {
        Asking().dependency(\.uuid, .constant(UUID(9)))
        Asking()
    }
}

private struct Asking: Reducer {
    @Dependency(\.uuid) var uuid
    func reduce(into state: inout Identifying.State, action: Identifying.Action) -> Effect<
        Identifying.Action
    > {
        switch action {
        case .ask:
            state.ids.append(uuid())
            return .run { send in await send(.got(uuid())) }
        case .got(let id):
            if !state.ids.contains(id) {
                Issue.record("an effect has other dependencies than its reducer")
            }
            return .none
        }
    }
}
