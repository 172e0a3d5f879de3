import Foundation
import HTTPClient
import TCPListener
import Testing
import Tracing

@testable import Traces

/// Sends spans to a listener in place of a collector.
@Suite(.timeLimit(.minutes(5))) struct TraceExporterTests {
    private let recorder = TraceRecorder(percent: 100)

    private func exporter(_ listener: Listener) throws -> TraceExporter {
        TraceExporter(recorder, to: try listener.url("127.0.0.1", "/v1/traces"), version: "1.2")
    }

    private func record(_ count: Int) {
        for _ in 0..<count { recorder.startRoot("a", ofKind: .server)?.end() }
    }

    private func spans(_ request: ReceivedRequest) throws -> [[String: Any]] {
        let object = try JSONSerialization.jsonObject(with: Data(request.body.utf8))
        let root = try #require(object as? [String: Any])
        let resources = try #require(root["resourceSpans"] as? [[String: Any]])
        let scopes = try #require(resources.first?["scopeSpans"] as? [[String: Any]])
        #expect(resources.count == 1 && scopes.count == 1)
        return try #require(scopes.first?["spans"] as? [[String: Any]])
    }

    @Test func collectorGetsFinishedSpans() async throws {
        let listener = try await Listener(answer: Listener.http("200 OK", body: "{}"))
        let span = try #require(recorder.startRoot("GET /v1/me", ofKind: .server))
        recorder.startSpan("inner", context: span.context, ofKind: .client).end()
        span.attributes = ["text": "a", "number": 200, "flag": true, "share": 0.5]
        span.setStatus(SpanStatus(code: .error))
        span.end()
        try await exporter(listener).export()
        try await exporter(listener).export()
        #expect(listener.requests.count == 1)
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.line == "POST /v1/traces HTTP/1.1")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.body.contains(#""service.version""#))
        let spans = try spans(request)
        let inner = try #require(spans.first)
        let outer = try #require(spans.last)
        #expect(spans.count == 2)
        #expect((outer["traceId"] as? String)?.count == 32)
        #expect((outer["spanId"] as? String)?.count == 16)
        #expect(outer["parentSpanId"] == nil)
        #expect(inner["parentSpanId"] as? String == outer["spanId"] as? String)
        #expect(inner["traceId"] as? String == outer["traceId"] as? String)
        #expect(outer["name"] as? String == "GET /v1/me")
        #expect(outer["kind"] as? Int == 2 && inner["kind"] as? Int == 3)
        #expect((outer["status"] as? [String: Any])?["code"] as? Int == 2)
        #expect(inner["status"] == nil)
        let times = ["startTimeUnixNano", "endTimeUnixNano"].compactMap {
            (outer[$0] as? String).flatMap { UInt64($0) }
        }
        #expect(times.count == 2 && times == times.sorted())
        let attributes = try #require(outer["attributes"] as? [[String: Any]])
        #expect(
            attributes.compactMap { $0["key"] as? String } == ["flag", "number", "share", "text"])
        let values = attributes.compactMap { $0["value"] as? [String: Any] }
        #expect(values[0]["boolValue"] as? Bool == true)
        #expect(values[1]["intValue"] as? String == "200")
        #expect(values[2]["doubleValue"] as? Double == 0.5)
        #expect(values[3]["stringValue"] as? String == "a")
        try await listener.close()
    }

    @Test func spansAreSentInBatches() async throws {
        let listener = try await Listener(answer: Listener.http("200 OK"))
        record(SpanQueue.batch + 1)
        try await exporter(listener).export()
        let counts = try listener.requests.compactMap(ReceivedRequest.init).map {
            try spans($0).count
        }
        #expect(counts == [SpanQueue.batch, 1])
        #expect(recorder.droppedSpans == 0)
        try await listener.close()
    }

    @Test(arguments: ["400 Bad Request", "503 Service Unavailable", "302 Found"])
    func refusedBatchIsDropped(status: String) async throws {
        let listener = try await Listener(answer: Listener.http(status))
        record(SpanQueue.batch + 2)
        let exporter = try exporter(listener)
        await #expect(throws: HTTPClientError.self) { try await exporter.export() }
        #expect(recorder.droppedSpans == SpanQueue.batch)
        #expect(recorder.queue.take().count == 2)
        try await listener.close()
    }

    @Test func missingCollectorLosesOneBatchPerTry() async throws {
        let listener = try await Listener(answer: nil)
        let exporter = try exporter(listener)
        try await listener.close()
        record(1)
        await #expect(throws: HTTPClientError.self) { try await exporter.export() }
        #expect(recorder.droppedSpans == 1)
        try await exporter.export()
    }

    @Test func nothingIsSentWithoutSpans() async throws {
        let listener = try await Listener(answer: Listener.http("200 OK"))
        try await exporter(listener).export()
        #expect(listener.connections == 0)
        try await listener.close()
    }
}
