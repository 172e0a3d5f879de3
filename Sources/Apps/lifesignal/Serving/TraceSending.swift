import Delivery
import Domain
import Foundation
import HTTPServer
import Logging
import Persistence
import Traces
import Tracing

/// The traces of this server, and their way to the operator's collector.
struct TraceSending: Sendable {
    private static let standardPath = "v1/traces"
    private static let longestPause: Duration = .seconds(5)

    let recorder: TraceRecorder
    private let exporter: TraceExporter
    private let wakeup: Wakeup

    /// Returns nil if the operator has named no collector.
    init?(_ settings: ServeSettings, version: String, metrics: Metrics) {
        guard let url = settings.tracesURL else { return nil }
        let wakeup = Wakeup()
        let recorder = TraceRecorder(
            percent: settings.tracesPercent, onBatch: { wakeup.wake() })
        metrics.add(.init(.droppedSpans) { Double(recorder.droppedSpans) })
        let hasPath = !url.path.isEmpty && url.path != "/"
        exporter = TraceExporter(
            recorder, to: hasPath ? url : url.appendingPathComponent(Self.standardPath),
            version: version)
        (self.recorder, self.wakeup) = (recorder, wakeup)
    }

    /// Returns the loop that sends finished spans.
    func loop(now: @escaping @Sendable () -> Date, logger: Logger) -> BackgroundLoop {
        BackgroundLoop(
            "traces", .init(wakeup: wakeup, longestPause: Self.longestPause, now: now),
            logger: logger
        ) { [exporter] in
            try await exporter.export()
            return nil
        }
    }
}

/// Records each try in a trace: the channel and the outcome, and nothing about the recipient.
struct TracedChannel: Channel {
    let channel: any Channel
    let traces: TraceRecorder

    var kind: DeliveryChannel { channel.kind }

    func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        await traces.trace("delivery", ofKind: .client) { [channel] span in
            let result = await channel.send(delivery)
            guard let span else { return result }
            var attributes: SpanAttributes = [
                "lifesignal.channel": .string(channel.kind.rawValue)
            ]
            if let reason = result.reason {
                attributes.set("error.type", value: .string(reason.group))
                span.setStatus(SpanStatus(code: .error))
            }
            span.attributes = attributes
            return result
        }
    }
}
