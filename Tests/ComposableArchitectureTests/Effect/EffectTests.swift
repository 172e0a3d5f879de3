import ComposableArchitecture
import Testing

@Reducer
struct Probe {
    struct State: Equatable, Sendable { var log: [String] = [] }

    enum Action: Sendable {
        case run(Effect<Action>)
        case log(String)
    }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .run(let effect): return effect
            case .log(let text):
                state.log.append(text)
                return .none
            }
        }
    }
}

@MainActor
struct EffectTests {
    private func log(_ effects: Effect<Probe.Action>...) async -> [String] {
        let store = Store(initialState: Probe.State()) { Probe() }
        let tasks = effects.map { store.send(.run($0)) }
        for task in tasks { await task.finish() }
        return store.withState(\.log)
    }

    /// Returns an effect that logs `text` after `gate` has opened. Without a gate, the effect
    /// yields several times first.
    private func later(_ text: String, after gate: Gate? = nil, opening next: Gate? = nil)
        -> Effect<Probe.Action>
    {
        .run { send in
            if let gate { await gate.wait() } else { for _ in 0..<20 { await Task.yield() } }
            await send(.log(text))
            next?.open()
        }
    }

    @Test func sendIsProcessedBeforeSendReturns() {
        let store = Store(initialState: Probe.State()) { Probe() }
        store.send(
            .run(
                .merge(
                    .send(.log("a")), .send(.log("b")),
                    .concatenate(.send(.log("c")), .send(.log("d"))))))
        #expect(store.withState(\.log) == ["a", "b", "c", "d"])
    }

    @Test func concatenateWaitsForEach() async {
        #expect(
            await log(
                .concatenate(
                    .send(.log("first")), later("slow"), .send(.log("next")),
                    .merge(later("x"), .none), later("last")
                )
            ) == ["first", "slow", "next", "x", "last"]
        )
    }

    @Test func mergeDoesNotWait() async {
        for isFollowed in [false, true] {
            let gate = Gate()
            let both = Effect.merge(later("slow", after: gate), later("fast", opening: gate))
            #expect(
                await log(isFollowed ? .concatenate(both, .send(.log("end"))) : both) == [
                    "fast", "slow",
                ] + (isFollowed ? ["end"] : []))
        }
    }

    @Test func noneDoesNothing() async {
        #expect(await log(.none, .merge(), .concatenate(), .merge(.none, .none)) == [])
    }

    @Test func actionsOfEffectKeepOrder() async {
        let numbers = (0..<200).map(String.init)
        let effect = Effect<Probe.Action>.run { send in
            for number in numbers { await send(.log(number)) }
        }
        #expect(await log(effect) == numbers)
    }

    @Test func mapTransformsActions() async {
        let numbers: Effect<Int> = .merge(
            .send(1), .concatenate(.send(2), .run { send in await send(3) }),
            .run { send in await send(4) }.cancellable(id: "n")
        )
        #expect(await Set(log(numbers.map { .log("\($0)") })) == ["1", "2", "3", "4"])
    }

    @Test func errorsAreCaught() async {
        struct Wrong: Error {}
        let effect = Effect<Probe.Action>.run { _ in
            throw Wrong()
        } catch: { error, send in
            await send(.log("\(error)"))
        }
        #expect(await log(effect) == ["Wrong()"])
    }

    @Test func cancellationIsNotAnError() async {
        #expect(await log(.run { _ in throw CancellationError() }) == [])
    }

    @Test func priorityIsKept() async {
        let effect = Effect<Probe.Action>.run(priority: .background) { send in
            await send(.log(Task.basePriority == .background ? "background" : "other"))
        }
        #expect(
            await log(effect, .concatenate(effect, effect)) == [
                "background", "background", "background",
            ])
    }
}
