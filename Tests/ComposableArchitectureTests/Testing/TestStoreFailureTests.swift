import ComposableArchitecture
import Foundation
import Testing

@Reducer
private struct Loader {
    struct State: Equatable {
        var count = 0
        var isLoading = false
    }

    enum Action: Equatable {
        case tap
        case load
        case loadTwice
        case wait
        case fail
        case response(Int)
    }

    struct Failure: Error {}

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .tap:
                state.count += 1
                return .none
            case .load:
                state.isLoading = true
                return .run { send in await send(.response(42)) }
            case .loadTwice: return .merge(.send(.response(1)), .send(.response(2)))
            case .wait: return .run { _ in try await Task.never() }
            case .fail: return .run { _ in throw Failure() }
            case .response(let count):
                state.count = count
                state.isLoading = false
                return .none
            }
        }
    }
}

/// Runs a test that has to fail, and returns what it said and where.
@MainActor
func issues(_ body: @MainActor () async -> Void) async -> [(text: String, line: Int)] {
    let found = LockIsolated<[(text: String, line: Int)]>([])
    await withKnownIssue(isIntermittent: true) {
        await body()
    } matching: { issue in
        // Differences are printed with figure spaces.
        let text = issue.comments.map(\.rawValue).joined().replacing("\u{2007}", with: " ")
        found.withValue { $0.append((text, issue.sourceLocation?.line ?? 0)) }
        return true
    }
    return found.value
}

@MainActor
struct TestStoreFailureTests {
    private func makeStore(line: UInt = #line) -> TestStoreOf<Loader> {
        TestStore(initialState: Loader.State()) { Loader() }
    }

    @Test func wrongState() async throws {
        let found = await issues {
            let store = makeStore()
            await store.send(.tap) { $0.count = 2 }
        }
        try #require(found.count == 1)
        #expect(
            found[0].text == """
                A state change does not match expectation: …

                      Loader.State(
                    −   count: 2,
                    +   count: 1,
                        isLoading: false
                      )

                (Expected: −, Actual: +)
                """
        )
        #expect(found[0].line == #line - 16)
    }

    @Test func unexpectedChange() async {
        let found = await issues {
            await makeStore().send(.tap)
        }
        #expect(found.map(\.text).first?.hasPrefix("State was not expected to change, but a change occurred: …") ?? false)
    }

    @Test func noChange() async {
        let found = await issues {
            let store = makeStore()
            await store.send(.response(0)) { $0.count = 0 }
        }
        #expect(
            found.map(\.text) == [
                """
                Expected state to change, but no change occurred.

                The trailing closure made no observable modifications to state. If no change to state is expected, omit the trailing closure.
                """
            ]
        )
    }

    @Test func sendBeforeReceive() async {
        let found = await issues {
            let store = makeStore()
            await store.send(.loadTwice)
            await store.send(.tap) { $0.count = 3 }
            await store.skipReceivedActions()
        }
        #expect(
            found.first?.text == """
                Must handle 2 received actions before sending an action: …

                Unhandled actions:
                  • Loader.Action.response(1)
                  • Loader.Action.response(2)
                """
        )
    }

    @Test func unexpectedAction() async {
        let found = await issues {
            let store = makeStore()
            await store.send(.load) { $0.isLoading = true }
            await store.receive(.response(43)) {
                $0.count = 42
                $0.isLoading = false
            }
        }
        #expect(
            found.map(\.text) == [
                """
                Received unexpected action: …

                    − Loader.Action.response(43)
                    + Loader.Action.response(42)

                (Expected: −, Received: +)
                """
            ]
        )
    }

    @Test func unexpectedActionByCase() async {
        let found = await issues {
            let store = makeStore()
            await store.send(.loadTwice)
            await store.receive(\.tap) { $0.count = 1 }
            await store.receive(\.response, 3) { $0.count = 2 }
        }
        #expect(found.count == 2)
        #expect(found.first?.text == "Received unexpected action: …\n\n    Loader.Action.response(1)")
        #expect(found.last?.text.contains("− Loader.Action.response(3)") ?? false)
    }

    @Test func nothingReceived() async {
        let found = await issues {
            let store = makeStore()
            await store.receive(\.response)
        }
        #expect(
            found.map(\.text) == [
                """
                Expected to receive an action matching case path, but received none.

                There are no in-flight effects that could deliver this action. Could the effect you expected to deliver this action have been cancelled?
                """
            ]
        )
    }

    @Test func nothingReceivedInTime() async {
        let found = await issues {
            let store = makeStore()
            await store.send(.wait)
            await store.receive(\.response, timeout: .milliseconds(5))
            await store.skipInFlightEffects()
        }
        #expect(found.map(\.text).first?.hasPrefix("Expected to receive an action matching case path, but received none after 0.005 seconds.") ?? false)
    }

    @Test func unreceivedAtTheEnd() async {
        let found = await issues {
            let store = makeStore()
            await store.send(.load) { $0.isLoading = true }
        }
        #expect(
            found.map(\.text) == [
                """
                The store received 1 unexpected action by the end of this test: …

                Unhandled actions:
                  • Loader.Action.response(42)
                """
            ]
        )
    }

    @Test func unfinishedAtTheEnd() async throws {
        let found = await issues {
            let store = makeStore()
            await store.send(.wait)
        }
        try #require(found.count == 1)
        #expect(
            found[0].text.hasPrefix(
                "An effect returned for this action is still running. It must complete before the end of the test. …"))
        #expect(found[0].line == #line - 6)
    }

    @Test func unfinishedInTime() async {
        let found = await issues {
            let store = makeStore()
            let task = await store.send(.wait)
            await task.finish(timeout: .milliseconds(5))
            await store.finish(timeout: .milliseconds(5))
            await store.skipInFlightEffects()
        }
        #expect(found.map { String($0.text.prefix(24)) } == ["Expected task to finish,", "Expected effects to fini"])
    }

    @Test func errorThatNobodyHandles() async throws {
        let found = await issues {
            let store = makeStore()
            await store.send(.fail)
        }
        try #require(found.count == 1)
        #expect(found[0].text.hasPrefix(#"An "Effect.run" returned from "ComposableArchitectureTests/TestStoreFailureTests.swift:"#))
        #expect(found[0].text.contains("threw an unhandled error. …"))
        #expect(found[0].text.contains("    Loader.Failure()"))
    }

    @Test func nothingToSkip() async {
        let found = await issues {
            let store = makeStore()
            await store.skipReceivedActions()
            await store.skipInFlightEffects()
            await store.skipReceivedActions(strict: false)
            await store.skipInFlightEffects(strict: false)
        }
        #expect(found.map(\.text) == ["There were no received actions to skip.", "There were no in-flight effects to skip."])
    }

    @Test func assertionThatThrows() async {
        struct Wrong: Error {}
        let found = await issues {
            let store = makeStore()
            await store.send(.response(0)) { _ in throw Wrong() }
        }
        #expect(found.map(\.text) == ["Threw error: Wrong()"])
    }
}

@MainActor
struct NonExhaustiveTests {
    @Test func onlyWhatIsStatedCounts() async {
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

    @Test func whatIsStatedHasToHold() async {
        let found = await issues {
            let store = TestStore(initialState: Loader.State()) { Loader() }
            store.exhaustivity = .off
            await store.send(.tap) { $0.count = 5 }
            await store.receive(\.response)
        }
        #expect(found.count == 2)
        #expect(found.first?.text.contains("−   count: 5") ?? false)
    }

    @Test func skippedAssertionsAreShown() async {
        let found = await issues {
            let store = TestStore(initialState: Loader.State()) { Loader() }
            store.exhaustivity = .off(showSkippedAssertions: true)
            await store.send(.loadTwice)
            await store.receive(.response(2))
            await store.send(.wait)
        }
        #expect(found.isEmpty, "they are known issues already")
    }

    @Test func exhaustivityForAWhile() async {
        let store = TestStore(initialState: Loader.State()) { Loader() }
        await store.withExhaustivity(.off) {
            await store.send(.load)
            await store.skipReceivedActions()
        }
        await store.send(.tap) { $0.count = 43 }
        #expect(store.exhaustivity == .on)
    }

    @Test func dependenciesChangeInBetween() async {
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
