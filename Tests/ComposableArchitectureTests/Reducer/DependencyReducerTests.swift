import ComposableArchitecture
import Foundation
import Testing

@MainActor
struct DependencyReducerTests {
    @Test func overrideAppliesToEachAction() {
        let store = Store(initialState: [UUID]()) {
            Asking().dependency(\.uuid, .constant(UUID(9)))
        }
        for _ in 1...3 { store.send(.ask) }
        #expect(store.withState { $0 } == [UUID(9), UUID(9), UUID(9)])
    }

    /// The child must see overrides that the parent changes after the first action.
    @Test func otherDependenciesComeFromParent() async {
        let zones = [1, 2, 3].compactMap { TimeZone(secondsFromGMT: $0 * 3_600) }
        let store = Store(initialState: [TimeZone]()) {
            Zones().dependency(\.uuid, .constant(UUID(9)))
        } withDependencies: {
            $0.timeZone = zones[0]
        }
        store.send(.ask)
        store.send(.ask)
        let test = TestStore(initialState: [TimeZone]()) {
            Zones().dependency(\.uuid, .constant(UUID(9)))
        }
        test.exhaustivity = .off
        for zone in zones {
            test.dependencies.timeZone = zone
            await test.send(.ask)
        }
        #expect(store.withState { $0 } == [zones[0], zones[0]])
        #expect(test.state == zones)
    }

    /// The transformation may have a different result for each action.
    @Test func transformationRunsForEachAction() {
        let count = LockIsolated(0)
        let store = Store(initialState: [UUID]()) {
            Asking().transformDependency(\.uuid) {
                count.withValue { $0 += 1 }
                $0 = .constant(UUID(count.value))
            }
        }
        for _ in 1...3 { store.send(.ask) }
        #expect(store.withState { $0 } == [UUID(1), UUID(2), UUID(3)])
    }
}

private enum Action: Equatable { case ask }

private struct Asking: Reducer {
    @Dependency(\.uuid) var uuid
    func reduce(into state: inout [UUID], action: Action) -> Effect<Action> {
        state.append(uuid())
        return .none
    }
}

private struct Zones: Reducer {
    @Dependency(\.timeZone) var timeZone
    func reduce(into state: inout [TimeZone], action: Action) -> Effect<Action> {
        state.append(timeZone)
        return .none
    }
}
