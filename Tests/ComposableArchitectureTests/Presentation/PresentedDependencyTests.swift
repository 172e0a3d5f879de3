import ComposableArchitecture
import Foundation
import Testing

@MainActor
struct PresentedDependencyTests {
    /// The features would create `Made` twice if each had its own dependency values.
    @Test func presentedFeaturesShareDependencies() {
        let store = makeStore()
        store.send(.left(.presented(.look)))
        store.send(.right(.presented(.look)))
        store.send(.left(.presented(.look)))
        let found = store.withState { $0.found }
        #expect(found == [UUID(0), UUID(0), UUID(0)])
    }

    @Test func parentsDefaultIsNotUsedForChild() {
        let store = makeStore()
        store.send(.look)
        store.send(.left(.presented(.look)))
        let found = store.withState { ($0.isPresented, $0.left?.isPresented) }
        #expect(found == (false, true))
    }

    private func makeStore() -> StoreOf<Showing> {
        Store(initialState: Showing.State(left: Shown.State(), right: Shown.State())) {
            Showing()
        } withDependencies: {
            $0.context = .live
            $0.uuid = .incrementing
        }
    }
}

private enum Made: DependencyKey {
    static var liveValue: UUID {
        @Dependency(\.uuid) var uuid
        return uuid()
    }
}

@Reducer
private struct Shown {
    @ObservableState
    struct State: Equatable {
        var found: [UUID] = []
        var isPresented = false
    }
    enum Action { case look }
    @Dependency(\.isPresented) var isPresented
    @Dependency(Made.self) var made

    var body: some ReducerOf<Self> {
        Reduce { state, _ in
            state.found.append(made)
            state.isPresented = isPresented
            return .none
        }
    }
}

@Reducer
private struct Showing {
    @ObservableState
    struct State: Equatable {
        @Presents var left: Shown.State?
        @Presents var right: Shown.State?
        var isPresented = false

        var found: [UUID] { (left?.found ?? []) + (right?.found ?? []) }
    }
    enum Action {
        case left(PresentationAction<Shown.Action>)
        case right(PresentationAction<Shown.Action>)
        case look
    }
    @Dependency(\.isPresented) var isPresented

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            if case .look = action { state.isPresented = isPresented }
            return .none
        }
        .ifLet(\.$left, action: \.left) { Shown() }
        .ifLet(\.$right, action: \.right) { Shown() }
    }
}
