import Synchronization
import Testing
import Tracing

@testable import Traces

@Suite struct TraceRecorderTests {
    private struct Failure: Error { var secret = "+4915112345670" }

    /// Returns consecutive numbers, beginning with `first`.
    private final class Numbers: Sendable {
        private let last: Mutex<UInt64>

        init(from first: UInt64) { last = Mutex(first) }

        func next() -> UInt64 {
            last.withLock { number in
                defer { number += 1 }
                return number
            }
        }
    }

    private func recorder(
        percent: Int = 100, from first: UInt64 = 0,
        onBatch: @escaping @Sendable () -> Void = {}
    ) -> TraceRecorder {
        let numbers = Numbers(from: first)
        return TraceRecorder(
            percent: percent, random: { numbers.next() }, onBatch: onBatch)
    }

    @Test func spanHasNameKindAttributesAndTimes() throws {
        let recorder = recorder()
        let span = try #require(recorder.startRoot("request", ofKind: .server))
        #expect(span.isRecording && span.context.trace?.isSampled == true)
        span.operationName = "GET /v1/me"
        span.attributes = ["http.route": "/v1/me"]
        span.end()
        span.end()
        let spans = recorder.queue.take()
        let finished = try #require(spans.first)
        #expect(spans.count == 1 && !span.isRecording)
        #expect(finished.name == "GET /v1/me" && finished.kind == .server)
        #expect(finished.parent == nil && !finished.isError)
        #expect(finished.attributes == ["http.route": "/v1/me"])
        #expect(finished.startedAt <= finished.endedAt)
        #expect(finished.place.span != 0)
    }

    @Test(arguments: [(1, 1), (50, 50), (100, 100)])
    func percentOfTracesIsSampled(percent: Int, expected: Int) {
        let count = (0..<100).count { number in
            recorder(percent: percent, from: number).startRoot("a", ofKind: .server) != nil
        }
        #expect(count == expected)
    }

    @Test func callerDecidesOnSampling() throws {
        let trace = TraceContext.TraceID(high: 1, low: 2)
        let sampled = TraceContext(trace: trace, span: 3, isSampled: true)
        let rarely = recorder(percent: 1, from: 50)
        let span = try #require(rarely.startRoot("a", ofKind: .server, continuing: sampled))
        span.end()
        let finished = try #require(rarely.queue.take().first)
        #expect(finished.parent == 3 && finished.place.trace == trace)
        let unsampled = TraceContext(trace: trace, span: 3, isSampled: false)
        #expect(recorder().startRoot("a", ofKind: .server, continuing: unsampled) == nil)
    }

    @Test func innerSpanIsAChild() async throws {
        let recorder = recorder()
        await recorder.trace("outer") { _ in
            recorder.startSpan("inner").end()
        }
        let spans = recorder.queue.take()
        #expect(spans.map(\.name) == ["inner", "outer"])
        #expect(spans.first?.parent == spans.last?.place.span)
        #expect(spans.first?.place.trace == spans.last?.place.trace)
    }

    @Test func spanOfAnUnsampledTraceRecordsNothing() async {
        let recorder = recorder(percent: 1, from: 50)
        let isRecorded = await recorder.trace("outer") { span in span != nil }
        #expect(!isRecorded)
        let span = recorder.startSpan("alone")
        #expect(!span.isRecording && span.context.trace?.isSampled == false)
        span.end()
        #expect(recorder.queue.take().isEmpty)
    }

    @Test func failedWorkIsAnErrorWithoutItsText() async throws {
        let recorder = recorder()
        await #expect(throws: Failure.self) {
            try await recorder.trace("work") { _ in throw Failure() }
        }
        let span = try #require(recorder.queue.take().first)
        #expect(span.isError)
        #expect(span.attributes == ["error.type": "Failure"])
    }

    @Test func fullQueueDropsFurtherSpans() {
        let recorder = recorder()
        for _ in 0..<(SpanQueue.most + 3) { recorder.startRoot("a", ofKind: .server)?.end() }
        #expect(recorder.droppedSpans == 3)
        var count = 0
        while true {
            let batch = recorder.queue.take()
            guard !batch.isEmpty else { break }
            #expect(batch.count == SpanQueue.batch)
            count += batch.count
        }
        #expect(count == SpanQueue.most)
    }

    @Test func fullBatchIsAnnouncedOnce() {
        let batches = Numbers(from: 0)
        let recorder = recorder(onBatch: { _ = batches.next() })
        for _ in 1..<SpanQueue.batch { recorder.startRoot("a", ofKind: .server)?.end() }
        #expect(batches.next() == 0)
        recorder.startRoot("a", ofKind: .server)?.end()
        recorder.startRoot("a", ofKind: .server)?.end()
        #expect(batches.next() == 2)
    }
}
