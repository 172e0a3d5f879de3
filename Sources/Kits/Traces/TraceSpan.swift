import Synchronization
import Tracing

/// A span that is being recorded. It keeps no events, links or texts of errors, because those may
/// contain personal data.
public final class TraceSpan: Tracing.Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var isError = false
        var hasEnded = false
    }

    public let context: ServiceContext
    private let place: TraceContext
    /// nil for the first span of a trace.
    private let parent: UInt64?
    private let kind: SpanKind
    /// In nanoseconds since 1970.
    private let startedAt: UInt64
    /// nil if the trace isn't sampled.
    private let queue: SpanQueue?
    private let state: Mutex<State>

    init(
        _ name: String, _ kind: SpanKind, at place: TraceContext, in context: ServiceContext,
        parent: UInt64?, startedAt: UInt64, queue: SpanQueue?
    ) {
        var context = context
        context.trace = place
        self.context = context
        (self.place, self.parent, self.kind) = (place, parent, kind)
        (self.startedAt, self.queue) = (startedAt, queue)
        state = Mutex(State(name: name))
    }

    public var isRecording: Bool { queue != nil && !state.withLock { $0.hasEnded } }

    public var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    public var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    public func setStatus(_ status: SpanStatus) {
        let isError = status.code == .error
        state.withLock { $0.isError = isError }
    }

    public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        let name = "\(type(of: error))"
        state.withLock { $0.attributes.set("error.type", value: .string(name)) }
    }

    public func addEvent(_ event: SpanEvent) {}

    public func addLink(_ link: SpanLink) {}

    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard let queue else { return }
        let ended = state.withLock { state -> State? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return state
        }
        guard let ended else { return }
        queue.add(
            FinishedSpan(
                place: place, parent: parent, name: ended.name, kind: kind, startedAt: startedAt,
                // The machine's clock may have been set back.
                endedAt: max(startedAt, instant().nanosecondsSinceEpoch),
                attributes: ended.attributes, isError: ended.isError))
    }
}

struct FinishedSpan: Sendable {
    var place: TraceContext
    var parent: UInt64?
    var name: String
    var kind: SpanKind
    /// In nanoseconds since 1970.
    var startedAt: UInt64
    var endedAt: UInt64
    var attributes: SpanAttributes
    var isError: Bool
}

/// The finished spans that wait for the exporter. Drops further ones while it is full.
final class SpanQueue: Sendable {
    /// The most waiting spans, about 2 MB.
    static let most = 4_096
    static let batch = 512

    private struct State {
        var spans: [FinishedSpan] = []
        var dropped = 0
    }

    private let state = Mutex(State())
    private let onBatch: @Sendable () -> Void

    init(onBatch: @escaping @Sendable () -> Void) { self.onBatch = onBatch }

    var dropped: Int { state.withLock { $0.dropped } }

    func add(_ span: FinishedSpan) {
        let isBatch = state.withLock { state in
            guard state.spans.count < Self.most else {
                state.dropped += 1
                return false
            }
            state.spans.append(span)
            return state.spans.count == Self.batch
        }
        if isBatch { onBatch() }
    }

    func noteDropped(_ count: Int) { state.withLock { $0.dropped += count } }

    /// Removes and returns the oldest spans, at most a batch.
    func take() -> [FinishedSpan] {
        state.withLock { state in
            let batch = Array(state.spans.prefix(Self.batch))
            state.spans.removeFirst(batch.count)
            return batch
        }
    }
}
