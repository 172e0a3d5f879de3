import Foundation
import Synchronization

/// A TCP proxy in front of PostgreSQL that can stop forwarding and cut connections.
final class Proxy: Sendable {
    enum Mode: Sendable {
        case forward
        /// Forwards nothing, like a machine that stopped responding.
        case hang
        /// Forwards neither the next COMMIT nor anything after it.
        case hangAtCommit
        /// Closes the connection in place of forwarding the next COMMIT.
        case cutBeforeCommit
        /// Forwards the next COMMIT, and closes the connection before its response.
        case cutAfterCommit
    }

    private struct State {
        var mode = Mode.forward
        var open: [Int32: Pair] = [:]
        var accepted = 0
    }

    /// The two sockets of a connection. If `isMuted` is true, responses are dropped.
    private final class Pair: Sendable {
        let client: Int32
        let server: Int32
        let isMuted = Mutex(false)
        /// True if nothing is forwarded on this connection. It stays true until the proxy stops.
        let isStuck = Mutex(false)
        private let ends = Mutex(2)

        init(_ client: Int32, _ server: Int32) { (self.client, self.server) = (client, server) }

        func cut() { for socket in [client, server] { shutdown(socket, Int32(SHUT_RDWR)) } }

        /// Records the end of one of the two threads. Returns true for the second.
        func end() -> Bool {
            cut()
            return ends.withLock { left in
                left -= 1
                return left == 0
            }
        }
    }

    let port: Int
    private let target: Int
    private let listener: Int32
    private let state = Mutex(State())
    /// Wakes threads that wait in a hanging mode.
    private let changed = NSCondition()

    /// - Parameter target: a port on this machine.
    init(to target: Int) throws {
        self.target = target
        (listener, port) = try TCPSocket.open()
        Thread { [self] in run() }.start()
    }

    func set(_ mode: Mode) {
        changed.lock()
        state.withLock { $0.mode = mode }
        changed.broadcast()
        changed.unlock()
    }

    /// Stops forwarding on the open connections. New connections work.
    func hangOpenConnections() {
        for pair in state.withLock({ Array($0.open.values) }) {
            pair.isStuck.withLock { $0 = true }
        }
    }

    var connections: Int { state.withLock { $0.accepted } }

    func cut() { state.withLock { for pair in $0.open.values { pair.cut() } } }

    func stop() {
        for pair in state.withLock({ Array($0.open.values) }) {
            pair.isStuck.withLock { $0 = false }
        }
        set(.forward)
        shutdown(listener, Int32(SHUT_RDWR))
        cut()
    }

    // MARK: Threads

    private func run() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { break }
            let server = TCPSocket.connected(to: target)
            let pair = Pair(client, server)
            state.withLock { state in
                state.open[client] = pair
                state.accepted += 1
            }
            Thread { [self] in pass(pair, isRequest: true) }.start()
            Thread { [self] in pass(pair, isRequest: false) }.start()
        }
        close(listener)
    }

    private func pass(_ pair: Pair, isRequest: Bool) {
        let (source, sink) = isRequest ? (pair.client, pair.server) : (pair.server, pair.client)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            waitWhileHanging(pair)
            guard count > 0, !pair.isMuted.withLock({ $0 }) else { break }
            if isRequest, Data(buffer[..<count]).range(of: Data("COMMIT".utf8)) != nil {
                switch takeMode() {
                case .cutBeforeCommit: pair.cut()
                case .cutAfterCommit: pair.isMuted.withLock { $0 = true }
                case .hangAtCommit:
                    set(.hang)
                    waitWhileHanging(pair)
                case .forward, .hang: break
                }
            }
            guard send(sink, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        guard pair.end() else { return }
        // Closed under the lock, so that `cut` can't use a descriptor that belongs to another file.
        state.withLock { state in
            state.open[pair.client] = nil
            close(pair.client)
            close(pair.server)
        }
    }

    private func waitWhileHanging(_ pair: Pair) {
        changed.lock()
        while isHanging || pair.isStuck.withLock({ $0 }) { changed.wait() }
        changed.unlock()
    }

    private var isHanging: Bool {
        state.withLock { if case .hang = $0.mode { true } else { false } }
    }

    /// Returns the mode for a COMMIT and resets it, so that later COMMITs are forwarded.
    private func takeMode() -> Mode {
        state.withLock { state in
            defer { state.mode = .forward }
            return state.mode
        }
    }
}
