import CPostgreSQL
import Domain
import Foundation
import Synchronization

/// Exchanges hints between the servers of one database by NOTIFY. It uses separate connections: a
/// NOTIFY in each transaction would take a lock that all writers share.
public final class PostgreSQLHints: Sendable {
    private struct State {
        var pending = ServerHint()
        var isClosed = false
        /// True after the sending thread has ended.
        var isSilent = false
    }

    /// How long hints are collected before they are sent together, in seconds.
    private static let collection: TimeInterval = 0.003
    /// The delay before reconnecting, in seconds.
    private static let pause: TimeInterval = 0.5
    /// How long `close` waits for the last hints to be sent, in seconds.
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
    ///   - clock: read on the listening connection about once a second.
    ///   - receive: called on the listener's thread with hints from other servers. nil means that
    ///     hints may have been lost, so anything may have changed.
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

    public func send(_ outbox: Outbox) { send(ServerHint(outbox)) }

    func send(_ hint: ServerHint) {
        guard !hint.isEmpty else { return }
        condition.lock()
        state.withLock { $0.pending.merge(hint) }
        condition.signal()
        condition.unlock()
    }

    /// Sends the remaining hints. Returns after at most 2 seconds.
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
                // The hint is sent again, because other servers learn of an ended session only from
                // the hint. A duplicate is harmless.
                connection = nil
                // A connection that broke while idle is replaced without a delay.
                guard !isNew || rest() else { break }
                state.withLock { $0.pending.merge(hint) }
            }
        }
        condition.lock()
        state.withLock { $0.isSilent = true }
        condition.broadcast()
        condition.unlock()
    }

    /// Waits before the next attempt. Returns false when closed.
    private func rest() -> Bool {
        let end = Date(timeIntervalSinceNow: Self.pause)
        condition.lock()
        defer { condition.unlock() }
        while !isClosed, condition.wait(until: end) {}
        return !isClosed
    }

    /// Waits for hints and returns them; nil when closed and all are sent.
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
                // Hints sent before `LISTEN` were missed.
                receive(nil)
                var lookedAt = ContinuousClock.now
                while !isClosed {
                    let payloads = try connection.notifications(within: .seconds(1))
                    for payload in payloads {
                        if let hint = ServerHint(payload: payload, unlessFrom: server) {
                            receive(hint)
                        }
                    }
                    // Reading the clock also detects a connection that died silently.
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
