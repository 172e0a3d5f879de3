import ComposableArchitecture
import Dispatch
import Testing

@Reducer
private struct Session {
    @ObservableState
    struct State: Equatable {
        var name = ""
        var visits = 0
    }

    enum Action { case visit, named(String) }

    @Dependency(\.userName) var userName

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .visit:
                state.visits += 1
                return .run { send in
                    await Task.yield()
                    await send(.named(userName))
                }
            case .named(let name):
                state.name = name
                return .none
            }
        }
    }
}

private enum UserNameKey: TestDependencyKey { static let testValue = "nobody" }
extension DependencyValues {
    fileprivate var userName: String {
        get { self[UserNameKey.self] }
        set { self[UserNameKey.self] = newValue }
    }
}

private actor Browser {
    private let name: String
    private var store: StoreOf<Session>?
    private let ended: LockIsolated<Int>

    init(name: String, ended: LockIsolated<Int> = LockIsolated(0)) {
        self.name = name
        self.ended = ended
    }

    deinit { ended.withValue { $0 += 1 } }

    func visit(times: Int, on executor: (any TaskExecutor)? = nil) async -> String {
        let store = Store(initialState: Session.State(), executor: executor) {
            Session()
        } withDependencies: { [name] in
            $0.userName = name
        }
        self.store = store
        let tasks = (0..<times).map { _ in store.send(.visit) }
        for task in tasks { await task.finish() }
        return "\(store.name) \(store.visits)"
    }

    func renderings() async -> [Int] {
        let store = Store(initialState: Session.State()) { Session() }
        var renderings: [Int] = []
        let token = observe { renderings.append(store.visits) }
        await store.send(.visit).finish()
        for _ in 0..<1_000_000 where renderings.count < 2 { await Task.yield() }
        token.cancel()
        await store.send(.visit).finish()
        for _ in 0..<20 { await Task.yield() }
        return renderings
    }

    func test() async {
        let clock = TestClock()
        let store = TestStore(initialState: CounterFeature.State()) {
            CounterFeature()
        } withDependencies: {
            $0.continuousClock = clock
        }
        await store.send(.toggleTimerButtonTapped) { $0.isTimerOn = true }
        await clock.advance(by: .seconds(1))
        await store.receive(\.timerTicked) { $0.count = 1 }
        await store.send(.toggleTimerButtonTapped) { $0.isTimerOn = false }
    }
}

private final class CountingExecutor: TaskExecutor {
    let jobs = LockIsolated(0)
    private let queue = DispatchQueue(label: "effects of a store")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withValue { $0 += 1 }
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

struct IsolationTests {
    @Test func effectsRunOnTheGivenExecutor() async {
        let executor = CountingExecutor()
        #expect(await Browser(name: "Blob").visit(times: 3, on: executor) == "Blob 3")
        #expect(executor.jobs.value >= 3)
    }

    @Test func storeRunsOnAnyActor() async {
        #expect(await Browser(name: "Blob").visit(times: 3) == "Blob 3")
    }

    @Test func thousandStoresKeepOwnDependencies() async {
        let ended = LockIsolated(0)
        await withTaskGroup(of: (Int, String).self) { group in
            for index in 0..<1_000 {
                group.addTask {
                    (index, await Browser(name: "user \(index)", ended: ended).visit(times: 5))
                }
            }
            for await (index, result) in group {
                #expect(result == "user \(index) 5")
            }
        }
        // All 1,000 actors are released, because an actor and its store don't retain each other.
        await eventually { ended.value == 1_000 }
        #expect(ended.value == 1_000)
    }

    @Test func observationWorksOnAnyActor() async {
        #expect(await Browser(name: "").renderings() == [0, 1])
    }

    @Test func testStoreRunsOnAnyActor() async {
        await Browser(name: "").test()
    }

    @Test func concurrentTestStoresBehaveTheSame() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask { await Browser(name: "").test() }
            }
        }
    }

    @Test func storeWithoutActorReports() async {
        let store = Store(initialState: Session.State(), isolation: nil) { Session() }
        withKnownIssue {
            store.send(.visit, isolation: nil)
        } matching: { issue in
            issue.description.contains("a store that belongs to no actor")
        }
    }
}
