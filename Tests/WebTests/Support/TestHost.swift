import API
import ClientsLive
import ComposableArchitecture
import Cryptography
import Domain
import Foundation
import Synchronization
import Testing

@testable import LivePages
@testable import Web

/// Sessions of the diary, and around them all that outlives them: time, rows, ids.
final class TestHost: Sendable {
    struct State {
        var now = ContinuousClock.now
        var numbers: UInt8 = 0
        var rows: [Data: Caller] = [:]
        var calls: [TransportRequest] = []
        var answers: [String: TransportResponse] = [:]
        var resumed = 0
        var made = 0
        var sleepers: [CheckedContinuation<Void, Never>] = []
        var holdsLoading = false
    }

    let state = Mutex(State())
    let loads = Gate()

    var backend: WebBackend {
        WebBackend(
            resume: { [self] secret in
                state.withLock { state in
                    guard let caller = state.rows[secret.hash] else { return nil }
                    state.resumed += 1
                    return .some(of: caller)
                }
            },
            bind: { [self] secret, caller in
                state.withLock { state in
                    state.rows = state.rows.filter { $0.value != caller }
                    state.rows[secret.hash] = caller
                }
            },
            connect: { [self] _, credentials in
                Connection(transport: FakeTransport(host: self), store: credentials)
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

    func resources() -> SessionResources {
        backend.begin(Visitor(address: "192.0.2.1"))
    }

    func pass(_ duration: Duration) { state.withLock { $0.now = $0.now.advanced(by: duration) } }

    func wakeSleepers() {
        let sleepers = state.withLock { state in
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in sleepers { sleeper.resume() }
    }

    /// The web app of the diary. Signing in gives the session the tokens of `caller`.
    func app(signingIn caller: Caller? = nil) -> PageApp<Diary, SessionResources> {
        PageApp(
            makeStore: { [self] resources, isolation in
                let credentials = resources.credentials
                state.withLock { $0.made += 1 }
                let holds = state.withLock { $0.holdsLoading }
                return Store(
                    initialState: Diary.State(
                        user: credentials.tokens.map { $0.userID.description } ?? ""),
                    isolation: isolation
                ) {
                    Diary()
                } withDependencies: { [loads] in
                    $0.diary.load = { if holds { await loads.wait() } }
                    $0.diary.signIn = {
                        guard let caller else { return "" }
                        credentials.save(.some(of: caller))
                        return caller.userID.description
                    }
                }
            },
            start: .start, view: Diary.view,
            outline: { Outline(path: $0.isOpen ? "/sheet" : "/", title: $0.title, user: $0.user) },
            open: { path, _ in
                path == "/sheet"
                    ? [.opened(true)]
                    : path == "/" ? [.opened(false)] : path.hasPrefix("/add/") ? [.linkOpened] : []
            },
            isSettled: \.isLoaded
        )
    }

    func sessions(signingIn caller: Caller? = nil, limits: WebSessions<Diary>.Limits = .init())
        -> WebSessions<Diary>
    {
        WebSessions(app: app(signingIn: caller), backend: backend, limits: limits)
    }

    static let ada = Caller(
        userID: UserID(UUID(uuid: (1, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))),
        sessionID: SessionID(UUID(uuid: (2, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 2))))
}

extension SessionTokens {
    static func some(of caller: Caller) -> Self {
        Self(
            accessToken: "access", refreshToken: "refresh", userID: caller.userID,
            sessionID: caller.sessionID)
    }
}

/// An API that notes what it is asked.
struct FakeTransport: Transport {
    let host: TestHost

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        host.state.withLock { state in
            state.calls.append(request)
            return state.answers[request.path] ?? TransportResponse(status: 404)
        }
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        throw ClientFailure.unreachable(.other)
    }
}

/// Opens once.
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

/// A page in a browser: what is on it, and what can be pressed.
struct Browser {
    let session: WebSession<Diary>
    var view: String
    var generation: Int
    var number = 0
    var pageStream: PageStream?
    private(set) var model: PageModel
    private(set) var frames: [String] = []

    init(_ session: WebSession<Diary>) async throws {
        self.session = session
        let page = try #require(await session.openPage())
        view = page.view
        generation = page.generation
        model = PageModel(page.html)
    }

    var markup: String { model.markup }

    /// Finds what a click on the button with these words means: its part and its place among the
    /// handlers.
    func target(_ words: String, kind: String = "tap", in markup: String? = nil) throws
        -> PageEvent.Target
    {
        let markup = markup ?? self.markup
        let end = try #require(markup.firstRange(of: ">\(words)<"), "no \(words) in \(markup)")
            .lowerBound
        let before = markup[..<end]
        let tag = before[(before.lastIndex(of: "<") ?? before.startIndex)...]
        let index = try #require(
            tag.firstRange(of: "data-\(kind)=\"").flatMap {
                Int(tag[$0.upperBound...].prefix { $0 != "\"" })
            })
        return .handler(
            part: try #require(Self.part(around: before)), index: index, generation: generation)
    }

    /// The innermost part that is still open at the end of this markup.
    static func part(around markup: Substring) -> String? {
        var open: [String?] = []
        for tag in markup.matches(of: #/<(\/?)([a-z0-9]+)([^>]*)/#) {
            if tag.1 == "/" {
                _ = open.popLast()
            } else if !["br", "hr", "img", "input"].contains(tag.2) {
                open.append(tag.3.firstMatch(of: #/data-p="([^"]*)"/#).map { String($0.1) })
            }
        }
        return open.compactMap(\.self).last
    }

    mutating func press(_ words: String, kind: String = "tap", _ value: EventValue = .none)
        async throws -> PageEventResult?
    {
        try await send(target(words, kind: kind), value)
    }

    mutating func send(_ target: PageEvent.Target, _ value: EventValue = .none) async
        -> PageEventResult?
    {
        number += 1
        return await session.handle(
            [PageEvent(number: number, target: target, value: value)], from: view)?.first
    }

    mutating func attach() async { pageStream = await session.attach(view, generation: generation) }
}

extension WebSession {
    var viewCount: Int { views.count }
    var markup: String { rendering.markup }
}
