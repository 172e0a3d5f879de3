import ComposableArchitecture
import Testing

@MainActor
struct CancellationTests {
    enum ID { case a, b }

    private func makeStore() -> StoreOf<Probe> {
        Store(initialState: Probe.State()) { Probe() }
    }

    /// Returns an effect that runs until it is cancelled, and then adds `name` to `ended`.
    private func endless(
        _ ended: LockIsolated<[String]>, _ name: String,
        started: LockIsolated<Int> = LockIsolated(0)
    ) -> Effect<Probe.Action> {
        .run { _ in
            started.withValue { $0 += 1 }
            defer { ended.withValue { $0.append(name) } }
            try await Task.never()
        }
    }

    @Test func cancelsByID() async {
        let ended = LockIsolated<[String]>([])
        let store = makeStore()
        let a = store.send(.run(endless(ended, "a").cancellable(id: ID.a)))
        let b = store.send(.run(endless(ended, "b").cancellable(id: ID.b)))
        store.send(.run(.cancel(id: ID.a)))
        await a.finish()
        #expect(ended.value == ["a"])
        store.send(.run(.cancel(id: ID.b)))
        await b.finish()
        #expect(ended.value == ["a", "b"])
    }

    @Test func cancelsInFlight() async {
        let ended = LockIsolated<[String]>([])
        let store = makeStore()
        let first = store.send(
            .run(endless(ended, "first").cancellable(id: ID.a, cancelInFlight: true)))
        let second = store.send(
            .run(endless(ended, "second").cancellable(id: ID.a, cancelInFlight: true)))
        await first.finish()
        #expect(ended.value == ["first"])
        second.cancel()
        await second.finish()
        #expect(second.isCancelled)
    }

    @Test func mergedEffectsAreCancelledTogether() async {
        let ended = LockIsolated<[String]>([])
        let store = makeStore()
        let started = LockIsolated(0)
        let effect = Effect.merge(
            endless(ended, "1", started: started),
            .concatenate(endless(ended, "2", started: started), .send(.log("never"))))
        let task = store.send(.run(effect.cancellable(id: ID.a)))
        while started.value < 2 { await Task.yield() }
        store.send(.run(.cancel(id: ID.a)))
        await task.finish()
        #expect(Set(ended.value) == ["1", "2"])
        #expect(store.withState(\.log) == [])
    }

    @Test func nestedIDsAllCancel() async {
        for id in [ID.a, ID.b] {
            let ended = LockIsolated<[String]>([])
            let store = makeStore()
            let task = store.send(
                .run(endless(ended, "x").cancellable(id: ID.a).cancellable(id: ID.b)))
            store.send(.run(.cancel(id: id)))
            await task.finish()
            #expect(ended.value == ["x"])
        }
    }

    @Test func storesDoNotCancelEachOther() async {
        let ended = LockIsolated<[String]>([])
        let (one, two) = (makeStore(), makeStore())
        let first = one.send(.run(endless(ended, "one").cancellable(id: ID.a)))
        let second = two.send(.run(endless(ended, "two").cancellable(id: ID.a)))
        one.send(.run(.cancel(id: ID.a)))
        await first.finish()
        #expect(ended.value == ["one"])
        two.send(.run(.run { _ in Task.cancel(id: ID.a) }))
        await second.finish()
        #expect(ended.value == ["one", "two"])
    }

    @Test func cancelsWithinEffect() async {
        let store = makeStore()
        let task = store.send(
            .run(
                .run { send in
                    await send(.log("begin"))
                    do {
                        try await withTaskCancellation(id: ID.a, cancelInFlight: true) {
                            await Gate().wait()
                            try Task.checkCancellation()
                        }
                    } catch {
                        await send(.log("cancelled"))
                    }
                    let value = await withTaskCancellation(id: ID.b) { 42 }
                    await send(.log("\(value)"))
                }
            )
        )
        while store.withState(\.log).isEmpty { await Task.yield() }
        await store.send(
            .run(
                .run { _ in
                    // Cancels repeatedly, because the work may not have been registered yet.
                    for _ in 0..<1_000 {
                        Task.cancel(id: ID.a)
                        await Task.yield()
                    }
                })
        ).finish()
        store.send(.run(.cancel(id: ID.a)))
        await task.finish()
        #expect(store.withState(\.log) == ["begin", "cancelled", "42"])
    }

    @Test func sendDoesNothingOnceCancelled() async {
        let store = makeStore()
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let task = store.send(
            .run(
                .run { send in
                    await send(.log("before"))
                    start.finish()
                    try? await Task.never()
                    await send(.log("after"))
                }
            )
        )
        for await _ in started {}
        task.cancel()
        await task.finish()
        #expect(store.withState(\.log) == ["before"])
    }

    @Test func finishIsCancelledWithWaitingTask() async {
        let ended = LockIsolated<[String]>([])
        let store = makeStore()
        let task = Task { await store.send(.run(endless(ended, "x"))).finish() }
        await Task.yield()
        task.cancel()
        await task.value
        #expect(ended.value == ["x"])
    }

    @Test func finishWaitsForEffectsOfEffectActions() async {
        let store = makeStore()
        await store.send(
            .run(
                .run { send in
                    await send(
                        .run(
                            .run { send in
                                for _ in 0..<100 { await Task.yield() }
                                await send(.log("second"))
                            }
                        )
                    )
                }
            )
        ).finish()
        #expect(store.withState(\.log) == ["second"])
    }

    @Test func effectsEndWithStore() async {
        let ended = LockIsolated<[String]>([])
        var store: StoreOf<Probe>? = makeStore()
        let task = store?.send(.run(endless(ended, "x")))
        let scoped = store?.scope(state: \.log, action: \.self)
        store = nil
        #expect(ended.value == [])
        _ = consume scoped
        await task?.finish()
        #expect(ended.value == ["x"])
    }
}
