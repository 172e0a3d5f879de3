import API
import Domain
import Foundation
import Synchronization

/// The event stream of a client. Reconnects after failures, resumes after the last event seen, and
/// delivers each event once and in order.
public final class EventSubscription: Sendable {
    public struct Options: Sendable {
        public var backoff = Backoff(first: .milliseconds(500), longest: .seconds(30))
        /// A stream that has been silent for this long counts as broken. The server writes every 15
        /// seconds.
        public var silence: Duration = .seconds(45)
        /// The limit of silence when the app becomes active. The server writes more often than
        /// this.
        public var heartbeat: Duration = .seconds(20)
        /// False for a stream of this process, which no suspended app or network can break. It
        /// then has no task for ``wake()``.
        public var isRemote = true
        /// The longest pause that a server may ask for. No alert arrives during the pause.
        public var longestWait: Duration = .seconds(120)
        /// The number of signals that may be queued for one subscriber.
        public var room = 256

        public init() {}
    }

    private let connection: Connection
    private let options: Options
    private let hub: SignalHub
    private let wakeup = TaskWakeup()
    private let state: Mutex<State>

    private struct State {
        var last: Int64?
        /// Consecutive failures since the stream was last open.
        var failures = 0
    }

    /// - Parameter after: the last event that the local copy has seen, or nil.
    public init(_ connection: Connection, after: Int64? = nil, options: Options = Options()) {
        self.connection = connection
        self.options = options
        hub = SignalHub(room: options.room)
        state = Mutex(State(last: after))
    }

    /// The sequence number of the last event delivered.
    public var lastSequence: Int64? { state.withLock { $0.last } }

    /// Returns the signals from now on. While the event stream is open, they begin with `connected`
    /// and `reload`. The returned stream ends with the session. Dropping it, or cancelling its
    /// reader, unsubscribes.
    public func subscribe() -> AsyncStream<StreamSignal> { hub.subscribe() }

    /// Call this when the app becomes active. Ends a pause, unless the server asked for that pause.
    /// Reopens a stream that broke while the app was suspended.
    public func wake() { wakeup.wake() }

    /// Keeps the stream open until the task is cancelled or the session ends. Two calls must not
    /// run at the same time.
    public func run() async {
        while !Task.isCancelled {
            var wait = Duration.zero
            do {
                let headers = lastSequence.map { ["Last-Event-ID": String($0)] } ?? [:]
                let stream = try await connection.open(
                    Routes.events, headers: headers.merging(["Accept": "text/event-stream"]) { $1 })
                try await follow(stream)
            } catch ClientFailure.sessionEnded {
                hub.send(.disconnected)
                hub.finish()
                return
            } catch ClientFailure.refused(_, let retryAfter?) {
                wait = min(retryAfter, options.longestWait)
            } catch {
                // After any other failure, the loop reconnects.
            }
            hub.send(.disconnected)
            let failures = state.withLock { state in
                state.failures += 1
                return state.failures
            }
            let pause = options.backoff.pause(after: failures, random: connection.random())
            // If the sleep is cancelled, the loop's condition ends the loop.
            if wait > .zero {
                try? await connection.clock.sleep(max(wait, pause))
            } else {
                await wakeup.wait(atMost: pause, connection.clock)
            }
        }
    }

    private func follow(_ stream: TransportStream) async throws {
        let clock = connection.clock
        let (silence, heartbeat) = (options.silence, options.heartbeat)
        let heard = LastWord(at: clock.now())
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { [self] in
                var parser = ServerSentEventParser()
                for try await bytes in stream.body {
                    heard.note(clock.now())
                    for event in try parser.read(bytes) { handle(event) }
                }
            }
            group.addTask {
                while true {
                    let left = heard.time + silence - clock.now()
                    guard left > .zero else { throw ClientFailure.unreachable(.timedOut) }
                    try await clock.sleep(left)
                }
            }
            if options.isRemote {
                group.addTask { [wakeup] in
                    while !Task.isCancelled {
                        await wakeup.wait()
                        guard clock.now() - heard.time > heartbeat else { continue }
                        // Makes the next try start without a pause.
                        wakeup.wake()
                        throw ClientFailure.unreachable(.timedOut)
                    }
                }
            }
            try await group.next()
        }
    }

    private struct Start: Decodable { var sequence: Int64 }

    private func handle(_ event: ServerSentEvent) {
        state.withLock { state in
            switch event.name {
            case "ready", "reload":
                guard
                    let start = try? WireJSON.tolerantDecoder().decode(
                        Start.self, from: Data(event.data.utf8))
                else {
                    // The next event's number can't be compared with the last one's any more.
                    state.last = nil
                    return hub.send(.reload)
                }
                let isResumed = event.name == "ready" && state.last == start.sequence
                (state.last, state.failures) = (start.sequence, 0)
                hub.send(.connected)
                if !isResumed { hub.send(.reload) }
            default:
                guard let sequence = Int64(event.id) else { return hub.send(.reload) }
                guard sequence > state.last ?? 0 else { return }
                // Sequence numbers are consecutive. If a number is missing, a reload fetches what
                // the missing or unreadable events reported. If `last` is nil, nothing has been
                // loaded yet, so a reload is needed, too.
                let isNext = state.last.map { sequence == $0 + 1 } ?? false
                state.last = sequence
                // Ignores a kind that a newer server has added.
                guard let kind = UserEvent.Kind(rawValue: event.name) else {
                    return isNext ? () : hub.send(.reload)
                }
                guard isNext, let value = try? UserEvent(kind: kind, data: event.data) else {
                    return hub.send(.reload)
                }
                hub.send(.event(value, sequence: sequence))
            }
        }
    }

    /// The time of the server's last bytes.
    private final class LastWord: Sendable {
        private let moment: Mutex<Duration>

        init(at time: Duration) { moment = Mutex(time) }

        var time: Duration { moment.withLock { $0 } }
        func note(_ time: Duration) { moment.withLock { $0 = time } }
    }
}
