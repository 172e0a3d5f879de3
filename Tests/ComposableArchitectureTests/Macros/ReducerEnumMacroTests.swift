import ComposableArchitecture
import Testing

@Reducer(state: .equatable, .sendable, action: .equatable, .sendable)
private enum Destination {
    case alert(AlertState<Alert>)
    case child(Child)
    case triple(Child = Child(step: 3))
    case labelled(feature: Child)
    case plain
    @ReducerCaseIgnored
    case picture(String, width: Int)

    @CasePathable
    enum Alert: Equatable, Sendable { case confirmed }
}

@Reducer
public enum PublicPath {
    case nothing(PublicNothing)
}

extension PublicPath.State: Equatable {}

@Reducer
private enum NoCase {}

@Reducer
private struct Recursive {
    @ObservableState
    struct State {
        var depth = 0
        @Presents var next: Next.State?
    }

    indirect enum Action {
        case next(PresentationAction<Next.Action>)
        case deeper
    }

    @Reducer
    enum Next {
        case again(Recursive)
    }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            if case .deeper = action {
                state.next = .again(Recursive.State(depth: state.depth + 1))
            }
            return .none
        }
        .ifLet(\.$next, action: \.next)
    }
}

struct ReducerEnumMacroTests {
    @Test func runsFeatureOfCase() {
        var state = Destination.State.child(Child.State())
        _ = Destination.body.reduce(into: &state, action: .child(.add(2)))
        #expect(state == .child(Child.State(count: 2)))
    }

    @Test func usesDefaultValueAsReducer() {
        var state = Destination.State.triple(Child.State())
        _ = Destination.body.reduce(into: &state, action: .triple(.add(2)))
        #expect(state == .triple(Child.State(count: 6)))
    }

    @Test func keepsLabelsAndData() {
        var state = Destination.State.labelled(feature: Child.State())
        _ = Destination.body.reduce(into: &state, action: .labelled(feature: .add(1)))
        #expect(state.labelled?.count == 1)
        #expect(Destination.State.picture("cat", width: 3).picture?.width == 3)
        #expect(Destination.State.plain.is(\.plain))
    }

    @Test func leavesEphemeralStateUnchanged() {
        let state = Destination.State.alert(AlertState { TextState("Sure?") })
        #expect(state.alert != nil)
        #expect(Destination.Action.alert(.confirmed).is(\.alert.confirmed))
    }

    @Test func addsRequestedConformances() {
        #expect(Destination.State.plain == .plain)
        #expect(Destination.Action.child(.reset) == .child(.reset))
        #expect(PublicPath.State.nothing(PublicNothing.State()) == .nothing(PublicNothing.State()))
    }

    @Test func canContainItself() {
        var state = Recursive.State()
        _ = Recursive().reduce(into: &state, action: .deeper)
        #expect(state.next?.again?.depth == 1)
        _ = Recursive().reduce(into: &state, action: .next(.presented(.again(.deeper))))
        #expect(state.next?.again?.next?.again?.depth == 2)
    }

    @Test func returnsStoreOfCase() {
        let store = Store(initialState: Destination.State.child(Child.State(count: 4))) {
            Destination.body
        }
        guard case .child(let child) = store.case else {
            Issue.record("Not the child's store")
            return
        }
        #expect(child.state.count == 4)
        let data = Store(initialState: Destination.State.picture("cat", width: 1)) {
            Destination.body
        }
        #expect(data.case.picture?.width == 1)
    }
}
