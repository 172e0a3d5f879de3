import Tracing

/// Records a sample of all traces, for a `TraceExporter`. A trace that isn't sampled costs one
/// random number.
public final class TraceRecorder: Tracer {
    public typealias Span = TraceSpan

    let queue: SpanQueue
    private let percent: Int
    private let random: @Sendable () -> UInt64

    /// - Parameters:
    ///   - percent: how many of 100 traces to record.
    ///   - onBatch: called when a batch is full.
    public init(
        percent: Int, random: @escaping @Sendable () -> UInt64 = { .random(in: 0...UInt64.max) },
        onBatch: @escaping @Sendable () -> Void = {}
    ) {
        self.percent = percent
        self.random = random
        queue = SpanQueue(onBatch: onBatch)
    }

    /// The number of spans that the queue had no room for, or the receiver didn't take.
    public var droppedSpans: Int { queue.dropped }

    // MARK: First spans

    /// Starts the first span of this server in a trace; nil if the trace isn't sampled.
    /// - Parameter parent: the span of the caller, which has decided on sampling; nil without one.
    public func startRoot(
        _ name: String, ofKind kind: SpanKind, continuing parent: TraceContext? = nil
    ) -> TraceSpan? {
        guard parent?.isSampled ?? isChosen() else { return nil }
        return TraceSpan(
            name, kind, at: place(in: parent?.trace, isSampled: true), in: .topLevel,
            parent: parent?.span, startedAt: DefaultTracerClock.now.nanosecondsSinceEpoch,
            queue: queue)
    }

    /// Runs `work` in the first span of a trace, or without a span if the trace isn't sampled.
    public func trace<Value: Sendable>(
        _ name: String, ofKind kind: SpanKind = .internal,
        _ work: @Sendable (TraceSpan?) async throws -> Value
    ) async rethrows -> Value {
        guard let span = startRoot(name, ofKind: kind) else { return try await work(nil) }
        defer { span.end() }
        do {
            return try await ServiceContext.$current.withValue(span.context) {
                try await work(span)
            }
        } catch {
            span.recordError(error)
            span.setStatus(SpanStatus(code: .error))
            throw error
        }
    }

    private func isChosen() -> Bool { percent >= 100 || random() % 100 < UInt64(percent) }

    /// Returns a new place in a trace; nil begins a trace. An id must not be zero.
    private func place(in trace: TraceContext.TraceID?, isSampled: Bool) -> TraceContext {
        TraceContext(
            trace: trace ?? TraceContext.TraceID(high: random(), low: max(1, random())),
            span: max(1, random()), isSampled: isSampled)
    }

    // MARK: Tracer

    public func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
        file fileID: String, line: UInt
    ) -> TraceSpan {
        let given = context()
        let isSampled = given.trace?.isSampled ?? isChosen()
        return TraceSpan(
            operationName, kind, at: place(in: given.trace?.trace, isSampled: isSampled),
            in: given, parent: given.trace?.span, startedAt: instant().nanosecondsSinceEpoch,
            queue: isSampled ? queue : nil)
    }

    /// The exporter sends the spans by itself.
    public func forceFlush() {}

    /// Reads no headers: only the server knows which proxies it trusts.
    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    /// Passes nothing on to providers.
    public func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {}
}
