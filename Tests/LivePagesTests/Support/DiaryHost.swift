import ComposableArchitecture
import Cryptography
import Foundation
import Synchronization
import Testing

@testable import LivePages

typealias DiarySession = PageSession<Diary, DiaryAccount>
typealias DiarySessions = PageSessions<Diary, DiaryAccount>

final class DiaryAccount: PageResources {
    private let name: Mutex<String?>
    let executor: SessionExecutor?

    init(_ name: String?, executor: SessionExecutor? = nil) {
        self.name = Mutex(name)
        self.executor = executor
    }

    let sight: PageSight? = PageSight()
    var identity: String? { name.withLock { $0 } }
    func signIn(_ name: String) { self.name.withLock { $0 = name } }
    func signOut() { name.withLock { $0 = nil } }
    func end() {}
}

/// The diary's sessions, and the data that outlives them: the time, the rows and the ids.
final class DiaryHost: Sendable {
    struct State {
        var now = ContinuousClock.now
        var numbers: UInt8 = 0
        var rows: [Data: String] = [:]
        var resumed = 0
        var made = 0
        var sleepers: [CheckedContinuation<Void, Never>] = []
        var holdsLoading = false
    }

    static let ada = "ada"
    let state = Mutex(State())
    let loads = Gate()

    var backend: PageBackend<DiaryAccount> {
        PageBackend(
            resume: { [self] secret, _ in
                state.withLock { state in
                    guard let name = state.rows[secret.hash] else { return nil }
                    state.resumed += 1
                    return DiaryAccount(name)
                }
            },
            begin: { _ in DiaryAccount(nil) },
            bind: { [self] secret, name in
                state.withLock { state in
                    state.rows = state.rows.filter { $0.value != name }
                    state.rows[secret.hash] = name
                }
            },
            makeToken: { [self] in
                state.withLock { state in
                    state.numbers += 1
                    return Token(random: Data(repeating: state.numbers, count: 32))
                }
            },
            clock: PageClock(
                time: { Date(timeIntervalSince1970: 1_772_366_400) },
                now: { [self] in state.withLock { $0.now } },
                sleep: { [self] _ in
                    await withCheckedContinuation { continuation in
                        state.withLock { $0.sleepers.append(continuation) }
                    }
                })
        )
    }

    func resources() -> DiaryAccount { DiaryAccount(nil) }

    func pass(_ duration: Duration) { state.withLock { $0.now = $0.now.advanced(by: duration) } }

    func wakeSleepers() {
        let sleepers = state.withLock { state in
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in sleepers { sleeper.resume() }
    }

    /// Returns the app.
    ///
    /// - Parameter name: The name of a user who signs in.
    func app(signingIn name: String? = nil) -> PageApp<Diary, DiaryAccount> {
        PageApp(
            makeStore: { [self] account, isolation in
                state.withLock { $0.made += 1 }
                let holds = state.withLock { $0.holdsLoading }
                return Store(
                    initialState: Diary.State(user: account.identity ?? ""), isolation: isolation
                ) {
                    Diary()
                } withDependencies: { [loads] in
                    $0.diary.load = { if holds { await loads.wait() } }
                    $0.diary.signIn = {
                        guard let name else { return "" }
                        account.signIn(name)
                        return name
                    }
                }
            },
            start: .start, view: Diary.view,
            outline: { Outline(path: $0.isOpen ? "/sheet" : "/", title: $0.title, user: $0.user) },
            open: { path, _ in
                switch path {
                case "/sheet": [.opened(true)]
                case "/": [.opened(false)]
                case "/keep": [.kept(.underWay)]
                default: path.hasPrefix("/add/") ? [.linkOpened] : []
                }
            },
            isSettled: \.isLoaded, keptAct: \.kept
        )
    }

    func sessions(signingIn name: String? = nil, limits: DiarySessions.Limits = .init())
        -> DiarySessions
    {
        DiarySessions(app: app(signingIn: name), backend: backend, limits: limits)
    }
}

actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for waiter in waiting { waiter.resume() }
        waiting = []
    }
}
