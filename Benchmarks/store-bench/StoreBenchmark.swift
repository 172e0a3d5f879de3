import ComposableArchitecture
import Synchronization

/// The cost of a store: an action, the way through an effect and back, and its memory.
@MainActor
enum StoreBenchmark {
    /// Synchronous actions through three levels of `Scope` and an `ifLet`, in a store that nobody
    /// looks at and in one whose every level was looked at.
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

    /// One effect after the other: each is started by the action that the one before it sent.
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

    /// Many effects under way, as those of many rows or many requests are.
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

    /// The cost of tasks without a store: two changes of thread, and one more for work after that.
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

    /// A thousand stores, each in an actor of its own and with a thousand actions: one after the
    /// other, and all at once.
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
        // Shared state of stores costs more from several cores; other programs on them do not
        // change this number.
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

    /// The memory of an idle store, with its state and reducer.
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

/// How many tasks have come to their end.
private final class Ended: Sendable {
    let count = Atomic(0)
}

/// Keeps a store in an isolation that is not the main actor's.
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
