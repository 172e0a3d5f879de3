import ComposableArchitecture
import Testing

/// Checks the text and the line of each issue that a test store reports.
@MainActor
struct TestStoreFailureTests {
    private func makeStore() -> TestStoreOf<Loader> {
        TestStore(initialState: Loader.State()) { Loader() }
    }

    @Test func wrongState() async {
        let found = await issues {
            let store = makeStore()
            await store.send(.tap) { $0.count = 2 }
        }
        let text = """
            The state is not what the test expects:

                  Loader.State(
                −   count: 2,
                +   count: 1,
                    isLoading: false
                  )

            (−: expected, +: actual)
            """
        #expect(found == [Failure(text, line: 2)])
    }

    @Test func wrongStateOfObservableProperties() async {
        let found = await issues {
            let store = TestStore(initialState: Observed.State()) { Observed() }
            await store.send(.tap) { $0.row.taps = 2 }
        }
        let text = """
            The state is not what the test expects:

                  Observed.State(
                    row: Observed.Row(
                −     taps: 2
                +     taps: 1
                    )
                  )

            (−: expected, +: actual)
            """
        #expect(found == [Failure(text, line: 2)])
    }

    @Test func unexpectedChange() async {
        let found = await issues {
            let store = makeStore()
            await store.send(.tap)
            await store.send(.load)
            await store.receive(\.response)
        }
        #expect(found.map(\.line) == [2, 3, 4])
        #expect(
            found.allSatisfy {
                $0.text.hasPrefix(
                    "The state changed, and the test expects no change:\n\n      Loader.State(")
            })
    }

    @Test func noChange() async {
        let found = await issues {
            let store = makeStore()
            await store.send(.response(0)) { $0.count = 0 }
        }
        let text = """
            The test expects the state to change, but it is as it was before.

            The closure changed nothing. Leave it out when no change is expected.
            """
        #expect(found == [Failure(text, line: 2)])
    }

    @Test func sendBeforeReceive() async {
        let found = await issues {
            let store = makeStore()
            await store.send(.loadTwice)
            await store.send(.tap) { $0.count = 3 }
            await store.skipReceivedActions()
        }
        let text = """
            An action is sent before the test has received 2 actions from effects:

              • Loader.Action.response(1)
              • Loader.Action.response(2)
            """
        #expect(found.first == Failure(text, line: 3))
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
        let text = """
            The received action is not the expected one:

                − Loader.Action.response(43)
                + Loader.Action.response(42)

            (−: expected, +: received)
            """
        #expect(found == [Failure(text, line: 3)])
    }

    @Test func unexpectedActionByCase() async {
        let found = await issues {
            let store = makeStore()
            await store.send(.loadTwice)
            await store.receive(\.tap) { $0.count = 1 }
            await store.receive(\.response, 3) { $0.count = 2 }
        }
        #expect(found.map(\.line) == [3, 4])
        #expect(
            found.first?.text
                == "The received action is not the expected one:\n\n    Loader.Action.response(1)")
        #expect(found.last?.text.contains("− Loader.Action.response(3)") ?? false)
    }

    @Test func nothingReceived() async {
        let found = await issues {
            let store = makeStore()
            await store.receive(\.response)
            await store.receive(.response(1))
            await store.receive({ $0 == .tap })
        }
        let expected = [
            "an action of this case", "this action", "an action that meets the condition",
        ]
        let texts = expected.map {
            """
            The test expects \($0), but none was received.

            No effect is running that could bring it. It may have been cancelled, or never started.
            """
        }
        #expect(
            found == [
                Failure(texts[0], line: 2), Failure(texts[1], line: 3), Failure(texts[2], line: 4),
            ])
    }

    @Test func nothingReceivedInTime() async {
        let found = await issues {
            let store = makeStore()
            await store.send(.wait)
            await store.receive(\.response, timeout: .milliseconds(5))
            await store.skipInFlightEffects()
        }
        #expect(found.map(\.line) == [3])
        #expect(
            found.first?.text.hasPrefix(
                """
                The test expects an action of this case, but none was received within 0.005 \
                seconds.\n\n
                """
            ) ?? false)
    }

    @Test func unhandledError() async throws {
        let found = await issues {
            let store = makeStore()
            await store.send(.fail)
        }
        try #require(found.count == 1)
        #expect(found[0].text.contains("ComposableArchitectureTests/Loader.swift:"))
        #expect(found[0].text.contains("    Loader.Failure()"))
    }

    @Test func throwingAssertion() async {
        struct Wrong: Error {}
        let found = await issues {
            let store = makeStore()
            await store.send(.response(0)) { _ in throw Wrong() }
        }
        #expect(
            found == [
                Failure(
                    "The closure that describes the expected state threw an error: Wrong()", line: 2
                )
            ])
    }

    @Test func actionAfterDismissal() async {
        let found = await issues {
            let store = TestStore(initialState: ItemForm.State(id: 1)) { ItemForm() }
            await store.send(.watch)
            await store.send(.cancelButtonTapped)
            await store.send(.saved)
            #expect(store.isDismissed)
        }
        #expect(
            found == [
                Failure(
                    """
                    An action was sent to a feature that has dismissed itself: nothing could send \
                    it one any more.
                    """,
                    line: 4)
            ])
    }
}

@Reducer
private struct Observed {
    @ObservableState
    struct State: Equatable {
        var row = Row()
    }

    @ObservableState
    struct Row: Equatable {
        var taps = 0
    }

    enum Action { case tap }

    var body: some ReducerOf<Self> {
        Reduce { state, _ in
            state.row.taps += 1
            return .none
        }
    }
}
