import ComposableArchitecture
import Foundation
import Testing

@MainActor
struct NonExhaustiveTests {
    @Test func onlyAssertionsCount() async {
        let store = TestStore(initialState: Loader.State()) { Loader() }
        store.exhaustivity = .off
        await store.send(.load)
        await store.send(.loadTwice)
        await store.receive(.response(2)) { $0.count = 2 }
        await store.send(.wait)
        await store.send(.tap)
        store.assert { $0.count = 3 }
        #expect(store.state.count == 3)
    }

    @Test func assertionsMustHold() async {
        let found = await issues {
            let store = TestStore(initialState: Loader.State()) { Loader() }
            store.exhaustivity = .off
            await store.send(.tap) { $0.count = 5 }
            await store.receive(\.response)
        }
        #expect(found.count == 2)
        #expect(found.first?.text.contains("−   count: 5") ?? false)
    }

    @Test func skippedAssertionsAreReported() async {
        let found = await issues {
            let store = TestStore(initialState: Loader.State()) { Loader() }
            store.exhaustivity = .off(showSkippedAssertions: true)
            await store.send(.loadTwice)
            await store.receive(.response(2))
            await store.send(.wait)
        }
        #expect(found.isEmpty, "they are known issues already")
    }

    @Test func dependenciesCanChangeBetweenActions() async {
        let store = TestStore(initialState: Permission.State()) {
            Permission()
        } withDependencies: {
            $0.uuid = .constant(UUID(0))
        }
        await store.send(.ask)
        store.dependencies.uuid = .constant(UUID(1))
        await store.send(.ask) { $0.isGranted = true }
    }
}

@Reducer
private struct Permission {
    struct State: Equatable { var isGranted = false }
    enum Action { case ask }
    @Dependency(\.uuid) var uuid
    var body: some ReducerOf<Self> {
        Reduce { state, _ in
            state.isGranted = uuid() == UUID(1)
            return .none
        }
    }
}
