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

/// The sessions of a small feature, and what outlives a session: the time, the rows and the ids.
final class TestHost: Sendable {
    struct State {
        var now = ContinuousClock.now
        var numbers: UInt8 = 0
        var rows: [Data: Caller] = [:]
        var calls: [TransportRequest] = []
        var answers: [String: TransportResponse] = [:]
        var onCall: (@Sendable () -> Void)?
    }

    let state = Mutex(State())

    var backend: WebBackend {
        WebBackend(
            resume: { [self] secret in
                state.withLock { state in
                    state.rows[secret.hash].map { .some(of: $0) }
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
                sleep: { _ in })
        )
    }

    func resources() -> SessionResources {
        backend.begin(Visitor(address: "192.0.2.1"))
    }

    func pass(_ duration: Duration) { state.withLock { $0.now = $0.now.advanced(by: duration) } }

    func app(below base: String = "") -> PageApp<Visits, SessionResources> {
        PageApp(
            makeStore: { resources, isolation in
                let user = resources.credentials.tokens?.userID.description ?? ""
                return Store(initialState: Visits.State(user: user), isolation: isolation) {
                    Visits()
                }
            },
            view: Visits.view,
            outline: { Outline(path: $0.isOpen ? "/sheet" : "/", title: "Visits", user: $0.user) },
            open: { path, _ in [.opened(path == "/sheet")] }, base: base)
    }

    func sessions(below base: String = "") -> WebSessions<Visits> {
        WebSessions(app: app(below: base), backend: backend)
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

/// An API that records its requests.
struct FakeTransport: Transport {
    let host: TestHost

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (answer, onCall) = host.state.withLock { state in
            state.calls.append(request)
            return (
                state.answers[request.path] ?? TransportResponse(status: 404), state.onCall
            )
        }
        onCall?()
        return answer
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        throw ClientFailure.unreachable(.other)
    }
}
