import Domain
import Synchronization

public enum StreamSignal: Equatable, Sendable {
    case connected
    case disconnected
    /// Events may be missing, so the reader must load everything. This signal also comes at the
    /// start.
    case reload
    case event(UserEvent, sequence: Int64)
}

/// Delivers each signal to every subscriber. If a subscriber falls behind, `reload` replaces its
/// queued signals.
final class SignalHub: Sendable {
    private struct State {
        var mailboxes: [Int: Mailbox] = [:]
        var next = 0
        var isConnected: Bool?
        var isFinished = false
    }

    private let room: Int
    private let state = Mutex(State())

    init(room: Int) { self.room = room }

    var subscriberCount: Int { state.withLock { $0.mailboxes.count } }

    func subscribe() -> AsyncStream<StreamSignal> {
        let mailbox = Mailbox(room: room)
        let id = state.withLock { state in
            state.next += 1
            // A late subscriber gets the present state first.
            switch state.isConnected {
            case true?: [StreamSignal.connected, .reload].forEach { _ = mailbox.take($0) }
            case false?: _ = mailbox.take(.disconnected)
            case nil: break
            }
            if state.isFinished { mailbox.finish() } else { state.mailboxes[state.next] = mailbox }
            return state.next
        }
        let subscription = Subscription(mailbox: mailbox) { [weak self] in
            _ = self?.state.withLock { $0.mailboxes.removeValue(forKey: id) }
        }
        return AsyncStream { await subscription.next() }
    }

    // Resumes readers outside the hub's lock to avoid a deadlock. A task that is being cancelled
    // holds its own lock and waits for the hub's lock in `leave`.

    func send(_ signal: StreamSignal) {
        let readers = state.withLock { state -> [Mailbox.Reader] in
            switch signal {
            case .connected: state.isConnected = true
            case .disconnected:
                guard state.isConnected != false else { return [] }
                state.isConnected = false
            case .reload, .event: break
            }
            return state.mailboxes.values.compactMap { $0.take(signal) }
        }
        for reader in readers { reader.resume(returning: signal) }
    }

    func finish() {
        let mailboxes = state.withLock { state in
            state.isFinished = true
            defer { state.mailboxes = [:] }
            return Array(state.mailboxes.values)
        }
        for mailbox in mailboxes { mailbox.finish() }
    }

    /// Unsubscribes when the stream that holds this subscription is dropped.
    private final class Subscription: Sendable {
        private let mailbox: Mailbox
        private let leave: @Sendable () -> Void

        init(mailbox: Mailbox, leave: @escaping @Sendable () -> Void) {
            self.mailbox = mailbox
            self.leave = leave
        }

        deinit { leave() }

        func next() async -> StreamSignal? {
            await withTaskCancellationHandler {
                await mailbox.next()
            } onCancel: {
                mailbox.finish()
                leave()
            }
        }
    }
}

private final class Mailbox: Sendable {
    private struct State {
        var waiting: [StreamSignal] = []
        var isConnected: Bool?
        var isFinished = false
        var reader: Reader?
    }

    private let room: Int
    private let state = Mutex(State())

    init(room: Int) { self.room = room }

    typealias Reader = CheckedContinuation<StreamSignal?, Never>

    /// Queues the signal. If a reader is waiting, returns that reader instead, for the caller to
    /// resume.
    func take(_ signal: StreamSignal) -> Reader? {
        state.withLock { state in
            guard !state.isFinished else { return nil }
            switch signal {
            case .connected: state.isConnected = true
            case .disconnected: state.isConnected = false
            case .reload, .event: break
            }
            if let reader = state.reader.take() { return reader }
            if state.waiting.count < room {
                state.waiting.append(signal)
            } else {
                state.waiting = [state.isConnected == false ? .disconnected : .connected, .reload]
            }
            return nil
        }
    }

    func finish() {
        state.withLock { state in
            state.isFinished = true
            return state.reader.take()
        }?.resume(returning: nil)
    }

    func next() async -> StreamSignal? {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> StreamSignal?? in
                if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                if state.isFinished { return .some(nil) }
                state.reader = continuation
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
