import ComposableArchitecture
import Testing

/// Both sides of the interval.
@MainActor
struct DebounceTests {
    let clock = TestClock()

    private func makeStore() -> TestStoreOf<Probe> {
        let store = TestStore(initialState: Probe.State()) { Probe() }
        store.exhaustivity = .off
        return store
    }

    private func log(of store: TestStoreOf<Probe>) async -> [String] {
        await store.skipReceivedActions(strict: false)
        return store.state.log
    }

    private func debounced(_ text: String, id: String = "d") -> Probe.Action {
        .run(.send(.log(text)).debounce(id: id, for: .seconds(1), clock: clock))
    }

    @Test func aDebouncedEffectBeginsWhenTheWaitIsOver() async {
        let store = makeStore()
        await store.send(debounced("a"))
        await clock.advance(by: .milliseconds(999))
        #expect(await log(of: store) == [])
        await clock.advance(by: .milliseconds(1))
        #expect(await log(of: store) == ["a"])
    }

    @Test func eachNewEffectStartsTheWaitAnew() async {
        let store = makeStore()
        for text in ["a", "b", "c"] {
            await store.send(debounced(text))
            await clock.advance(by: .milliseconds(999))
        }
        #expect(await log(of: store) == [])
        await clock.advance(by: .milliseconds(1))
        #expect(await log(of: store) == ["c"])
        await clock.advance(by: .seconds(10))
        #expect(await log(of: store) == ["c"])
    }

    @Test func debouncesOfOtherIDsDoNotMeet() async {
        let store = makeStore()
        await store.send(debounced("a", id: "1"))
        await store.send(debounced("b", id: "2"))
        await clock.advance(by: .seconds(1))
        #expect(await Set(log(of: store)) == ["a", "b"])
    }

    @Test func aDebounceIsCancelledByItsID() async {
        let store = makeStore()
        await store.send(debounced("a"))
        await store.send(.run(.cancel(id: "d")))
        await clock.advance(by: .seconds(1))
        #expect(await log(of: store) == [])
    }
}
