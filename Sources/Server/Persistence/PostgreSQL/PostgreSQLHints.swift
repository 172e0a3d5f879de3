import CPostgreSQL
import Domain
import Foundation
import Synchronization

/// Hints between the servers of one database, by NOTIFY on a connection of their own. (A NOTIFY in
/// each transaction would take a lock that all writers share at commit.)
public final class PostgreSQLHints: Sendable {
    private struct State {
        var pending = ServerHint()
        var isClosed = false
        /// Nothing is sent any more.
        var isSilent = false
    }

    /// How long hints are collected before they go out together.
    private static let collection: TimeInterval = 0.003
    /// Between two tries to connect again.
    private static let pause: TimeInterval = 0.5
    /// A stop of the server waits so long for the last hints.
    private static let farewell: TimeInterval = 2
    private static let channel = "lifesignal"
    private static let pauseBetweenLooks: Duration = .milliseconds(500)

    private let address: PostgreSQLAddress
    private let server: UUID
    private let clock: PostgreSQLClock
    private let state = Mutex(State())
    private let condition = NSCondition()

    /// - Parameters:
    ///   - server: the id of this process.
    ///   - clock: looks at the database's clock on the same connection, at least once a second.
    ///   - receive: called on the listener's thread with what other servers say; after the
    ///     connection was lost, with nil for "anything may have happened".
    public init(
        _ address: PostgreSQLAddress, server: UUID, clock: PostgreSQLClock,
        receive: @escaping @Sendable (ServerHint?) -> Void
    ) {
        self.address = address
        self.server = server
        self.clock = clock
        Thread { [self] in speak() }.start()
        Thread { [self] in listen(receive) }.start()
    }

    /// Tells the other servers what a commit has changed.
    public func send(_ outbox: Outbox) { send(ServerHint(outbox)) }

    func send(_ hint: ServerHint) {
        guard !hint.isEmpty else { return }
        condition.lock()
        state.withLock { $0.pending.merge(hint) }
        condition.signal()
        condition.unlock()
    }

    /// Returns when everything was sent, or after 2 seconds.
    public func close() {
        let end = Date(timeIntervalSinceNow: Self.farewell)
        condition.lock()
        defer { condition.unlock() }
        state.withLock { $0.isClosed = true }
        condition.broadcast()
        while !state.withLock({ $0.isSilent }), condition.wait(until: end) {}
    }

    // MARK: The two threads

    private func speak() {
        var connection: PostgreSQLConnection?
        while let hint = next() {
            let isNew = connection == nil
            do {
                let present = try connection ?? PostgreSQLConnection(address, limits: .init())
                connection = present
                for payload in hint.payloads(from: server) {
                    try present.execute(
                        "SELECT pg_notify($1, $2)", [.text(Self.channel), .text(payload)])
                }
            } catch {
                // Nobody else tells the others that a session has ended. What arrives twice does
                // no harm.
                connection = nil
                // One that had broken unnoticed is replaced at once.
                guard !isNew || rest() else { break }
                state.withLock { $0.pending.merge(hint) }
            }
        }
        condition.lock()
        state.withLock { $0.isSilent = true }
        condition.broadcast()
        condition.unlock()
    }

    /// Waits before the next try. False when closed.
    private func rest() -> Bool {
        let end = Date(timeIntervalSinceNow: Self.pause)
        condition.lock()
        defer { condition.unlock() }
        while !isClosed, condition.wait(until: end) {}
        return !isClosed
    }

    /// The hints collected so far; nil when closed and nothing is left.
    private func next() -> ServerHint? {
        condition.lock()
        defer { condition.unlock() }
        while state.withLock({ $0.pending.isEmpty && !$0.isClosed }) { condition.wait() }
        guard !state.withLock({ $0.pending.isEmpty }) else { return nil }
        condition.unlock()
        Thread.sleep(forTimeInterval: Self.collection)
        condition.lock()
        return state.withLock { state in
            defer { state.pending = ServerHint() }
            return state.pending
        }
    }

    private func listen(_ receive: (ServerHint?) -> Void) {
        while !isClosed {
            do {
                let connection = try PostgreSQLConnection(address, limits: .init())
                try connection.execute("LISTEN \(Self.channel)", [])
                // Nobody listened until now.
                receive(nil)
                var lookedAt = ContinuousClock.now
                while !isClosed {
                    let payloads = try connection.notifications(within: .seconds(1))
                    for payload in payloads {
                        if let hint = ServerHint(payload: payload, unlessFrom: server) {
                            receive(hint)
                        }
                    }
                    // It also notices a connection that died without a word.
                    guard ContinuousClock.now - lookedAt >= Self.pauseBetweenLooks else {
                        continue
                    }
                    try clock.look(at: connection)
                    lookedAt = .now
                }
            } catch {
                Thread.sleep(forTimeInterval: Self.pause)
            }
        }
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }
}
