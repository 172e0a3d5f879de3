import ComposableArchitecture
import Synchronization

/// The cost of a store: an action, the round trip through an effect, and memory.
@MainActor
enum StoreBenchmark {
    /// Measures synchronous actions through three levels of `Scope` and an `ifLet`. Compares an
    /// unobserved store with a store that is observed at every level.
    static func actions() -> [Figure] {
        let count = 200_000
        let store = Store(initialState: App.State()) { App() }
        let observed = Store(initialState: App.State()) { App() }
        let presented = Store(initialState: Window.State(screen: .main(Desk.State()))) { Window() }
        let token = observe {
            _ = (
                observed.user, observed.main.badge, observed.main.tab.name,
                observed.main.tab.screen.counter?.count
            )
        }
        defer { token.cancel() }
        return [
            .time("an action through 3 Scopes and an ifLet", goal: .microseconds(2), per: count) {
                for _ in 0..<count { store.send(.counter(.tapped)) }
            },
            .time("  the same, observed", goal: .microseconds(2), per: count) {
                for _ in 0..<count { observed.send(.counter(.tapped)) }
            },
            .time("an action of a large presented screen", goal: .microseconds(5), per: count) {
                for _ in 0..<count { presented.send(.tapped) }
            },
        ]
    }

    /// Measures consecutive effects: the action of one effect starts the next.
    static func roundTripsInTurn() async -> [Figure] {
        let count = 20_000
        let store = Store(initialState: Counter.State()) { Counter() }
        return [
            await .time(
                "a round trip of .run, main actor, in turn", goal: .microseconds(10), per: count
            ) {
                await store.send(.started(roundTrips: count)).finish()
            },
            await .time(
                "a round trip of .run, an actor, in turn", goal: .microseconds(10), per: count
            ) {
                await Owner().send(.started(roundTrips: count))
            },
            await .time("  for comparison: Swift's tasks alone, main actor", goal: nil, per: count)
            {
                await bareRoundTrips(count)
            },
        ]
    }

    /// Measures many concurrent effects, as many rows or requests have.
    static func roundTripsAtOnce() async -> [Figure] {
        let count = 1_000
        let times = 20
        let store = Store(initialState: Counter.State()) { Counter() }
        let owner = Owner()
        return [
            await .time(
                "a round trip of .run, main actor, 1,000 at once", goal: .microseconds(10),
                per: count * times
            ) {
                for _ in 0..<times { await store.send(.startedAtOnce(roundTrips: count)).finish() }
            },
            await .time(
                "a round trip of .run, an actor, 1,000 at once", goal: .microseconds(10),
                per: count * times
            ) {
                for _ in 0..<times { await owner.send(.startedAtOnce(roundTrips: count)) }
            },
        ]
    }

    /// Runs tasks without a store, for comparison. Each task changes the thread twice, and a third
    /// time for the work after it.
    private static func bareRoundTrips(_ count: Int) async {
        let ended = Ended()
        await withCheckedContinuation { bareRoundTrip(count, $0, ended) }
    }

    private static func bareRoundTrip(
        _ left: Int, _ end: CheckedContinuation<Void, Never>, _ ended: Ended
    ) {
        guard left > 0 else { return end.resume() }
        Task.detached {
            await bareRoundTrip(left - 1, end, ended)
            ended.count.add(1, ordering: .relaxed)
        }
    }

    /// Measures a thousand stores, each in its own actor and with a thousand actions: first in
    /// turn, then all at once.
    static func cores() async -> [Figure] {
        let stores = 1_000
        let actions = 1_000
        let begin = processorSeconds()
        let inTurn = await ContinuousClock().measure {
            for _ in 0..<stores { await Worker().tap(actions) }
        }
        let middle = processorSeconds()
        let atOnce = await ContinuousClock().measure {
            await withDiscardingTaskGroup { group in
                for _ in 0..<stores { group.addTask { await Worker().tap(actions) } }
            }
        }
        // The ratio of processor time: all stores at once, compared with all in turn. State that
        // the stores share raises this ratio, because sharing costs more on several cores. Other
        // programs don't change it.
        let work = (processorSeconds() - middle) / (middle - begin)
        let speedUp = inTurn / atOnce
        return [
            Figure("1,000 stores, 1,000 actions each, one core", inTurn.milliseconds, unit: "ms"),
            Figure("1,000 stores, 1,000 actions each, all cores", atOnce.milliseconds, unit: "ms"),
            Figure(
                "  speed-up on \(coreCount) cores", speedUp, unit: "times", goal: "≥ 1.6",
                isReached: speedUp >= 1.6),
            Figure("  processor time on all cores, to that on one", work, unit: "times"),
        ]
    }

    /// Measures the memory of an idle store, including its state and reducer.
    static func memory() -> Figure {
        let count = 10_000
        var stores: [StoreOf<App>] = []
        stores.reserveCapacity(count)
        let before = residentBytes()
        for _ in 0..<count { stores.append(Store(initialState: App.State()) { App() }) }
        for store in stores { store.send(.counter(.tapped)) }
        let bytes = (residentBytes() - before) / count
        return withExtendedLifetime(stores) {
            Figure(
                "memory of a store of five features, 10,000 stores", Double(bytes), unit: "bytes")
        }
    }
}

private final class Ended: Sendable {
    let count = Atomic(0)
}

/// An actor that owns a store, so that the store isn't isolated to the main actor.
private actor Owner {
    private lazy var store = Store(initialState: Counter.State()) { Counter() }

    func send(_ action: Counter.Action) async {
        await store.send(action).finish()
    }
}

private actor Worker {
    func tap(_ count: Int) {
        let store = Store(initialState: App.State()) { App() }
        for _ in 0..<count { store.send(.counter(.tapped)) }
    }
}
