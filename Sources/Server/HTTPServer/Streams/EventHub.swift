import Domain
import NIOCore
import Persistence
import ServiceLifecycle
import Synchronization

/// Passes new events to the open streams of their user. A stream that misses an event sees the gap
/// in the sequence numbers and reads the database.
public final class EventHub: Sendable {
    enum Message: Sendable {
        case event(StoredEvent, frame: ByteBuffer)
        /// Another server has written events.
        case grown(PendingLook)
        /// Other servers may have made any change, such as ending the session.
        case uncertain
        case keepAlive
        case end
    }

    /// A request to a stream to read the database. Hints that arrive before the read share the
    /// request.
    final class PendingLook: Sendable {
        private let isPending = Atomic(false)

        /// Adds a hint. Returns true if the stream needs a new request.
        fileprivate func add() -> Bool {
            !isPending.exchange(true, ordering: .acquiringAndReleasing)
        }

        /// Called before the read. A hint after this call needs a new request.
        func begin() { isPending.store(false, ordering: .sequentiallyConsistent) }
    }

    struct Subscriber: Sendable {
        let session: SessionID
        let continuation: AsyncStream<Message>.Continuation
        private let look = PendingLook()

        init(_ session: SessionID, _ continuation: AsyncStream<Message>.Continuation) {
            self.session = session
            self.continuation = continuation
        }

        func yield(_ message: Message) {
            // The full buffer dropped the request, so the next hint must send a new one.
            if case .dropped(.grown(let look)) = continuation.yield(message) { look.begin() }
        }

        func lookAtRows() { if look.add() { yield(.grown(look)) } }
    }

    private struct State {
        var subscribers: [UserID: [Int: Subscriber]] = [:]
        /// Each user's newest event number that open streams know.
        var newest: [UserID: Int64] = [:]
        var count = 0
        var next = 0
        var isClosed = false

        func end(_ sessions: Set<SessionID>) {
            guard !sessions.isEmpty else { return }
            for subscriber in subscribers.values.flatMap(\.values)
            where sessions.contains(subscriber.session) {
                subscriber.yield(.end)
                subscriber.continuation.finish()
            }
        }
    }

    static let streamsPerUser = 20
    /// The number of events buffered for a slow stream. The buffer keeps the newest events, because
    /// the number of the last one shows the gap.
    private static let buffer = 64

    private let state = Mutex(State())

    public init() {}

    public var streamCount: Int { state.withLock { $0.count } }

    /// Throws `rateLimited` if the user has too many streams.
    func subscribe(_ caller: Caller) throws(CommandError) -> (
        id: Int, messages: AsyncStream<Message>
    ) {
        let (messages, continuation) = AsyncStream.makeStream(
            of: Message.self, bufferingPolicy: .bufferingNewest(Self.buffer))
        let id = state.withLock { state -> Int? in
            guard state.subscribers[caller.userID, default: [:]].count < Self.streamsPerUser else {
                return nil
            }
            state.next += 1
            state.count += 1
            if state.isClosed { continuation.finish() }
            state.subscribers[caller.userID, default: [:]][state.next] = Subscriber(
                caller.sessionID, continuation)
            return state.next
        }
        guard let id else { throw .rateLimited(retryAfter: .seconds(30)) }
        return (id, messages)
    }

    func unsubscribe(_ id: Int, of user: UserID) {
        state.withLock { state in
            guard let subscriber = state.subscribers[user]?.removeValue(forKey: id) else { return }
            if state.subscribers[user]?.isEmpty == true {
                (state.subscribers[user], state.newest[user]) = (nil, nil)
            }
            state.count -= 1
            subscriber.continuation.finish()
        }
    }

    /// Called after each commit.
    public func publish(_ outbox: Outbox) {
        guard !outbox.events.isEmpty || !outbox.endedSessions.isEmpty else { return }
        state.withLock { state in
            guard state.count > 0 else { return }
            for event in outbox.events {
                guard let subscribers = state.subscribers[event.userID] else { continue }
                state.newest[event.userID] = event.sequence
                let message = Message.event(event, frame: Self.frame(event))
                for subscriber in subscribers.values { subscriber.yield(message) }
            }
            state.end(Set(outbox.endedSessions))
        }
    }

    /// Keeps idle connections open and detects dead ones.
    public func keepAlive() {
        state.withLock { state in
            for subscriber in state.subscribers.values.flatMap(\.values) {
                subscriber.yield(.keepAlive)
            }
        }
    }

    /// Ends all streams, including later ones, so that the server can stop.
    public func close() {
        state.withLock { state in
            state.isClosed = true
            for subscriber in state.subscribers.values.flatMap(\.values) {
                subscriber.yield(.end)
                subscriber.continuation.finish()
            }
        }
    }

    // MARK: Other servers

    /// Handles the commits of another server.
    public func receive(_ hint: ServerHint) {
        state.withLock { state in
            for user in hint.people {
                for subscriber in state.subscribers[user, default: [:]].values {
                    subscriber.lookAtRows()
                }
            }
            state.end(hint.endedSessions)
        }
    }

    /// Handles a possible loss of other servers' hints.
    public func receiveAnything() {
        state.withLock { state in
            for subscriber in state.subscribers.values.flatMap(\.values) {
                subscriber.yield(.uncertain)
            }
        }
    }

    /// The users with an open stream on this server.
    public var people: [UserID] { state.withLock { Array($0.subscribers.keys) } }

    /// Receives each user's newest event number in the database. Streams without that event read
    /// the database.
    public func notice(_ newest: [UserID: Int64]) {
        state.withLock { state in
            for (user, number) in newest where number > state.newest[user, default: 0] {
                guard let subscribers = state.subscribers[user] else { continue }
                state.newest[user] = number
                for subscriber in subscribers.values { subscriber.lookAtRows() }
            }
        }
    }

    static func frame(_ event: StoredEvent) -> ByteBuffer {
        ByteBuffer(
            string: "id: \(event.sequence)\nevent: \(event.kind.rawValue)\ndata: \(event.data)\n\n")
    }
}

/// Keeps streams alive while the server runs, and ends them when it stops.
public struct EventHubService: Service {
    private static let keepAliveEvery: Duration = .seconds(15)
    private let hub: EventHub

    public init(hub: EventHub) { self.hub = hub }

    public func run() async throws {
        let wakeup = Wakeup()
        await withTaskCancellationOrGracefulShutdownHandler {
            while !Task.isShuttingDownGracefully, !Task.isCancelled {
                await wakeup.sleep(for: Self.keepAliveEvery, until: nil)
                hub.keepAlive()
            }
        } onCancelOrGracefulShutdown: { [hub] in
            hub.close()
            wakeup.wake()
        }
    }
}
