import Domain
import NIOCore
import Persistence
import ServiceLifecycle
import Synchronization

/// Brings fresh events to the open streams of their user. A hint only: a stream that misses one
/// sees the gap in the numbers and reads the rows.
public final class EventHub: Sendable {
    /// A message to one stream.
    enum Message: Sendable {
        case event(StoredEvent, frame: ByteBuffer)
        case keepAlive
        case end
    }

    struct Subscriber: Sendable {
        let session: SessionID
        let continuation: AsyncStream<Message>.Continuation
    }

    private struct State {
        var subscribers: [UserID: [Int: Subscriber]] = [:]
        var count = 0
        var next = 0
        var isClosed = false
    }

    /// Streams of one user at the same time.
    static let streamsPerUser = 20
    /// Events buffered for a slow stream before it has to read the rows. The newest are kept: the
    /// last of them shows that some are missing.
    private static let buffer = 64

    private let state = Mutex(State())

    public init() {}

    public var streamCount: Int { state.withLock { $0.count } }

    /// Throws `rateLimited` when the user has too many streams.
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
                session: caller.sessionID, continuation: continuation)
            return state.next
        }
        guard let id else { throw .rateLimited(retryAfter: .seconds(30)) }
        return (id, messages)
    }

    func unsubscribe(_ id: Int, of user: UserID) {
        state.withLock { state in
            guard let subscriber = state.subscribers[user]?.removeValue(forKey: id) else { return }
            if state.subscribers[user]?.isEmpty == true { state.subscribers[user] = nil }
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
                let message = Message.event(event, frame: Self.frame(event))
                for subscriber in subscribers.values { subscriber.continuation.yield(message) }
            }
            guard !outbox.endedSessions.isEmpty else { return }
            let ended = Set(outbox.endedSessions)
            for subscriber in state.subscribers.values.flatMap(\.values)
            where ended.contains(subscriber.session) {
                subscriber.continuation.yield(.end)
                subscriber.continuation.finish()
            }
        }
    }

    /// Keeps connections open that have nothing to say, and finds those that are dead.
    public func keepAlive() {
        state.withLock { state in
            for subscriber in state.subscribers.values.flatMap(\.values) {
                subscriber.continuation.yield(.keepAlive)
            }
        }
    }

    /// Ends every stream, and each one that is opened from now on: a stop of the server does not
    /// wait for listeners.
    public func close() {
        state.withLock { state in
            state.isClosed = true
            for subscriber in state.subscribers.values.flatMap(\.values) {
                subscriber.continuation.yield(.end)
                subscriber.continuation.finish()
            }
        }
    }

    static func frame(_ event: StoredEvent) -> ByteBuffer {
        ByteBuffer(
            string: "id: \(event.sequence)\nevent: \(event.kind.rawValue)\ndata: \(event.data)\n\n")
    }
}

/// Keeps the streams alive while the server runs, and ends them when it stops.
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
