import ComposableArchitecture
import Testing

@Reducer
private struct Nothing {}

@Reducer
public struct PublicNothing {}

@Reducer
private struct OnlyState {
    @ObservableState
    struct State: Equatable { var count = 0 }
}

@Reducer
struct Child {
    @ObservableState
    struct State: Equatable, Sendable {
        var count = 0
    }

    enum Action: Equatable, Sendable {
        case add(Int)
        case reset
        case delegate(Delegate)

        @CasePathable
        enum Delegate: Equatable, Sendable { case done }
    }

    var step = 1

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .add(let number): state.count += number * step
            case .reset: state.count = 0
            case .delegate: break
            }
            return .none
        }
    }
}

@Reducer
private struct Family {
    @ObservableState
    struct State: Equatable, Sendable {
        var child: Child.State = .init()
        var log: [String] = []
    }

    enum Action: Equatable, Sendable {
        case child(Child.Action)
        case tap
    }

    var body: some Reducer<State, Action> {
        Scope(state: \.child, action: \.child) { Child() }
        Reduce { state, action in
            switch action {
            case .child(.add): state.log.append("added, now \(state.child.count)")
            case .child: break
            case .tap: state.log.append("tap")
            }
            return .none
        }
    }
}

@Reducer
private struct Switching {
    @ObservableState
    enum State: Equatable, Sendable {
        case child(Child.State)
        case off
    }

    enum Action: Equatable, Sendable { case child(Child.Action) }

    var body: some ReducerOf<Self> {
        Scope(state: \.child, action: \.child) { Child() }
    }
}

@Reducer
private struct Imperative<Value: Equatable & Sendable> {
    struct State: Equatable { var value: Value }
    enum Action { case set(Value) }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .set(let value): state.value = value
        }
        return .none
    }
}

struct ReducerMacroTests {
    @Test func addsMissingMembers() {
        #expect(Nothing.State() == Nothing.State())
        #expect(PublicNothing.State() == PublicNothing.State())
        #expect((Nothing.Action.self as Any.Type) is any Hashable.Type)
        #expect(OnlyState.State().count == 0)
    }

    @Test func runsItsBody() {
        var state = Family.State()
        let family = Family()
        _ = family.reduce(into: &state, action: .child(.add(2)))
        _ = family.reduce(into: &state, action: .tap)
        #expect(state.child.count == 2)
        #expect(state.log == ["added, now 2", "tap"])
    }

    @Test func keepsItsMemberwiseInitialiser() {
        var state = Child.State()
        _ = Child(step: 3).reduce(into: &state, action: .add(2))
        #expect(state.count == 6)
    }

    @Test func givesActionsCasePaths() {
        let path: CaseKeyPath<Family.Action, Int> = \.child.add
        #expect(path(2) == .child(.add(2)))
        #expect(Family.Action.child(.delegate(.done)).is(\.child.delegate.done))
    }

    @Test func makesStateCasesReadable() {
        var state = Switching.State.child(Child.State())
        _ = Switching().reduce(into: &state, action: .child(.add(1)))
        #expect(state.child?.count == 1)
        state.modify(\.child) { $0.count = 5 }
        #expect(state == .child(Child.State(count: 5)))
        #expect(state.is(\.child))
        #expect(Switching.State.off.child == nil)
    }

    @Test func supportsGenericReducerWithReduce() {
        var state = Imperative<Int>.State(value: 1)
        _ = Imperative<Int>().reduce(into: &state, action: .set(4))
        #expect(state.value == 4)
        #expect(Imperative<Int>.Action.set(1).is(\.set))
    }
}
