import API
import Domain
import Foundation
import Synchronization

/// The one event stream of a client. It comes back by itself, goes on behind the last event it has
/// seen, and hands each event on once and in order.
public final class EventSubscription: Sendable {
    public struct Options: Sendable {
        public var backoff = Backoff(first: .milliseconds(500), longest: .seconds(30))
        /// The server writes every 15 seconds; a stream silent for this long is broken.
        public var silence: Duration = .seconds(45)
        /// Silence that is too long for an app that has just become active: the server writes more
        /// often.
        public var heartbeat: Duration = .seconds(20)
        /// The longest pause that a server may ask for; nobody is told of an alert meanwhile.
        public var longestWait: Duration = .seconds(120)
        /// How many signals may wait for a subscriber.
        public var room = 256

        public init() {}
    }

    private let connection: Connection
    private let options: Options
    private let hub: SignalHub
    private let wakeup = Wakeup()
    private let state: Mutex<State>

    private struct State {
        var last: Int64?
        /// Since the stream was open for the last time.
        var failures = 0
    }

    /// - Parameter after: the last event that the local copy has seen; nil when there is none.
    public init(_ connection: Connection, after: Int64? = nil, options: Options = Options()) {
        self.connection = connection
        self.options = options
        hub = SignalHub(room: options.room)
        state = Mutex(State(last: after))
    }

    /// The last event that was handed on.
    public var lastSequence: Int64? { state.withLock { $0.last } }

    /// The signals from now on; a subscription that begins on an open stream begins with
    /// `connected` and `reload`. It ends when the session does. Dropping it, or cancelling its
    /// reader, unsubscribes.
    public func subscribe() -> AsyncStream<StreamSignal> { hub.subscribe() }

    /// The app is active again: a pause ends, unless the server asked for it, and a stream that
    /// broke while the app was suspended is opened anew.
    public func wake() { wakeup.wake() }

    /// Keeps the stream open until the task is cancelled or the session has ended. At most one at a
    /// time.
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
                // Any failure is handled by reconnecting.
            }
            hub.send(.disconnected)
            let failures = state.withLock { state in
                state.failures += 1
                return state.failures
            }
            let pause = options.backoff.pause(after: failures, random: connection.random())
            // A sleep that is interrupted ends the loop by its condition.
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
            group.addTask { [wakeup] in
                while !Task.isCancelled {
                    await wakeup.wait()
                    guard clock.now() - heard.time > heartbeat else { continue }
                    // The next try comes without a pause.
                    wakeup.wake()
                    throw ClientFailure.unreachable(.timedOut)
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
                else { return }
                let isResumed = event.name == "ready" && state.last == start.sequence
                (state.last, state.failures) = (start.sequence, 0)
                hub.send(.connected)
                if !isResumed { hub.send(.reload) }
            default:
                guard let sequence = Int64(event.id), sequence > state.last ?? 0 else { return }
                // Numbers have no gaps: something is missing, or can't be read. What is loaded anew
                // has it.
                let isNext = state.last.map { sequence == $0 + 1 } ?? true
                state.last = sequence
                // A kind that a newer server has added is none of our business.
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

    /// The time when the server was last heard.
    private final class LastWord: Sendable {
        private let moment: Mutex<Duration>

        init(at time: Duration) { moment = Mutex(time) }

        var time: Duration { moment.withLock { $0 } }
        func note(_ time: Duration) { moment.withLock { $0 = time } }
    }
}
