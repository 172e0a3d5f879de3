import ComposableArchitecture
import Testing

struct SendTests {
    @MainActor
    @Test func sendsOnMainActorWithoutWaiting() async {
        let store = Store(initialState: Probe.State()) { Probe() }
        await store.send(.run(.merge(Sending.one, Sending.several, Sending.byAFunction))).finish()
        #expect(store.withState(\.log).sorted() == ["a", "b", "c", "d", "e"])
    }

    @MainActor
    @Test func mainActorSendIsProcessedBeforeReturning() async {
        let store = Store(initialState: Probe.State()) { Probe() }
        let seen = LockIsolated<[Int]>([])
        let count: @MainActor @Sendable () -> Int = { [weak store] in
            store?.withState(\.log.count) ?? -1
        }
        await store.send(.run(Sending.counting(count, in: seen))).finish()
        #expect(seen.value == [1, 2, 3])
    }

    @Test func otherActorsStoreReceivesInOrder() async {
        #expect(
            await Owner().log(of: Sending.numbers.map { .log("\($0)") })
                == (0..<100).map(String.init))
    }

    /// A second overload in `Send`, for the main actor, would be chosen for this closure. The
    /// overload wouldn't wait.
    @Test func singleCallClosureWaits() async throws {
        let seen = LockIsolated<[Int]>([])
        let work: @Sendable (Send<Int>) async throws -> Void = { send in await send(1) }
        try await work(
            Send { number in
                await Task.yield()
                seen.withValue { $0.append(number) }
            })
        #expect(seen.value == [1])
    }

    @MainActor
    @Test func sendsNothingOnceCancelled() async {
        let store = Store(initialState: Probe.State()) { Probe() }
        let gate = Gate()
        let task = store.send(.run(Sending.late(gate)))
        task.cancel()
        gate.open()
        await task.finish()
        #expect(store.withState(\.log) == [])
    }
}

private enum Sending {
    static var one: Effect<Probe.Action> {
        .run { @MainActor send in send(.log("a")) }
    }

    static var several: Effect<Probe.Action> {
        .run { @MainActor send in
            for text in ["b", "c"] { send(.log(text)) }
            send(.log("d"))
        }
    }

    static var byAFunction: Effect<Probe.Action> {
        .run { @MainActor send in log("e", send) }
    }

    static func counting(
        _ count: @escaping @MainActor @Sendable () -> Int, in seen: LockIsolated<[Int]>
    ) -> Effect<Probe.Action> {
        .run { @MainActor send in
            for _ in 0..<3 {
                send(.log("x"))
                let now = count()
                seen.withValue { $0.append(now) }
            }
        }
    }

    static var numbers: Effect<Int> {
        .run { @MainActor send in for number in 0..<100 { send(number) } }
    }

    static func late(_ gate: Gate) -> Effect<Probe.Action> {
        .run { send in
            await gate.wait()
            await send(.log("late"))
        }
    }

    @MainActor
    private static func log(_ text: String, _ send: MainActorSend<Probe.Action>) {
        send(.log(text))
    }
}

private actor Owner {
    func log(of effect: Effect<Probe.Action>) async -> [String] {
        let store = Store(initialState: Probe.State()) { Probe() }
        await store.send(.run(effect)).finish()
        return store.withState(\.log)
    }
}
