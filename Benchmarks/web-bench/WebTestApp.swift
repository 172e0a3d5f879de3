import ClientsLive
import Cryptography
import Domain
import Foundation
import SafetyNetwork
import Synchronization
import TestApp
import Web

/// The server with the web app. The benchmark controls the clock that measures how long a session
/// has been idle.
struct WebTestApp: Sendable {
    let app: TestApp
    let port: Int
    private let clock: Clock

    static func run<Value: Sendable>(_ work: @Sendable (WebTestApp) async throws -> Value)
        async throws -> Value
    {
        let (app, clock) = (try TestApp(at: Date()), Clock())
        guard let publicURL = URL(string: "https://lifesignal.example") else { throw NotPossible() }
        let backend = WebBackend(
            resume: { SessionTokens(try await app.network.webSessions.resumeWebSession($0)) },
            bind: { try await app.network.webSessions.bindWebSession($0, to: $1) },
            connect: { _, credentials in
                Connection(transport: app.transport, store: credentials, clock: .session)
            },
            clock: .init(
                time: { app.time.now }, now: { clock.now },
                sleep: { try await clock.sleep($0) }))
        let web = WebServer(backend: backend, publicURL: publicURL)
        let service = Task { try await web.service.run() }
        defer { service.cancel() }
        return try await app.onPort(extend: web.addRoutes) {
            try await work(WebTestApp(app: app, port: $0, clock: clock))
        }
    }

    /// Advances the clock by hours, so that each session goes to sleep once it knows that its pages
    /// are closed. Returns when all sessions are asleep and the process is idle.
    func sleepAll() async throws {
        let end = ContinuousClock.now + .seconds(120)
        var (work, rest) = (workOfThisProcess(), 0)
        while app.streamCount > 0 || rest < 6 {
            guard ContinuousClock.now < end else {
                throw Unexpected("\(app.streamCount) sessions do not sleep")
            }
            await clock.pass(.seconds(600))
            try await Task.sleep(for: .milliseconds(500))
            // The process must be idle several times in a row. On a busy machine, a single idle
            // interval may mean that another process used the cores.
            rest = workOfThisProcess() - work < .milliseconds(20) ? rest + 1 : 0
            work = workOfThisProcess()
        }
    }

    private final class Clock: Sendable {
        private let moment = Mutex(ContinuousClock.now)
        private let rounds = AsyncStream.makeStream(of: Void.self)
        private let pauses = AsyncStream.makeStream(of: Void.self)

        var now: ContinuousClock.Instant { moment.withLock { $0 } }

        /// The benchmark ends the service's long pauses early. The short waits for a first page
        /// take real time.
        func sleep(_ duration: Duration) async throws {
            guard duration > .seconds(10) else { return try await Task.sleep(for: duration) }
            pauses.continuation.yield()
            for await _ in rounds.stream { return }
        }

        /// Advances the clock. Returns when the service has done the work that is now due.
        func pass(_ duration: Duration) async {
            moment.withLock { $0 += duration }
            for await _ in pauses.stream { break }
            rounds.continuation.yield()
            for await _ in pauses.stream { break }
            pauses.continuation.yield()
        }
    }
}

extension SessionTokens {
    fileprivate init(_ tokens: IssuedTokens) {
        self.init(
            accessToken: tokens.accessToken.text, refreshToken: tokens.refreshToken.text,
            userID: tokens.caller.userID, sessionID: tokens.caller.sessionID)
    }
}
