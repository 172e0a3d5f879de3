import ComposableArchitecture
import Testing

/// At the end of a test, anything that the test hasn't asserted fails the test.
@MainActor
struct TestStoreEndTests {
    private func makeStore() -> TestStoreOf<Loader> {
        TestStore(initialState: Loader.State()) { Loader() }
    }

    @Test func unreceivedActionFailsAtEnd() async {
        let found = await issues {
            let store = TestStore(initialState: Loader.State()) { Loader() }
            await store.send(.load) { $0.isLoading = true }
        }
        let text = """
            The test ends before it has received 1 action from effects:

              • Loader.Action.response(42)
            """
        #expect(found == [Failure(text, line: 1)])
    }

    @Test func unreceivedActionFailsFinish() async {
        let found = await issues {
            let store = makeStore()
            await store.send(.loadTwice)
            await store.finish()
        }
        let text = """
            The test ends before it has received 2 actions from effects:

              • Loader.Action.response(1)
              • Loader.Action.response(2)
            """
        #expect(found == [Failure(text, line: 3)])
    }

    @Test func runningEffectFailsAtEnd() async {
        let found = await issues {
            let store = makeStore()
            await store.send(.wait)
        }
        #expect(found.map(\.line) == [2])
        #expect(
            found.first?.text.hasPrefix(
                "An effect of this action is still running at the end of the test.\n\n") ?? false)
    }

    @Test func finishTimesOut() async {
        let found = await issues {
            let store = makeStore()
            let task = await store.send(.wait)
            await task.finish(timeout: .milliseconds(5))
            await store.finish(timeout: .milliseconds(5))
            await store.skipInFlightEffects()
        }
        #expect(found.map(\.line) == [3, 4])
        #expect(
            found.prefix(1).allSatisfy {
                $0.text.hasPrefix(
                    "The effects of this action are still running after 0.005 seconds.\n\n")
            })
        #expect(
            found.suffix(1).allSatisfy {
                $0.text.hasPrefix(
                    "Effects are still running after 0.005 seconds:\n\n  • Loader.Action.wait\n\n")
            })
    }

    @Test func skippingNothingFails() async {
        let found = await issues {
            let store = makeStore()
            await store.skipReceivedActions()
            await store.skipInFlightEffects()
            await store.skipReceivedActions(strict: false)
            await store.skipInFlightEffects(strict: false)
        }
        #expect(
            found == [
                Failure("There is no received action to skip.", line: 2),
                Failure("There is no running effect to skip.", line: 3),
            ])
    }
}
