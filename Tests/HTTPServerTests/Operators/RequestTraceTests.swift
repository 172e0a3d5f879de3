import API
import Domain
import Foundation
import Testing
import Tracing

@testable import HTTPServer
@testable import Traces

/// The spans of requests. Tests/TracesTests has the exporter's tests.
@Suite struct RequestTraceTests {
    private let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private let unsampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"

    private func server(
        _ recorder: TraceRecorder?, behind proxies: TrustedProxies = .none
    ) throws -> TestServer {
        try TestServer {
            $0.traces = recorder
            $0.configuration.proxies = proxies
        }
    }

    @Test func spanNamesRouteAndStatusOnly() async throws {
        let recorder = TraceRecorder(percent: 100)
        let alert = "\(id(9) as AlertID)"
        try await server(recorder).send("GET", "/v1/alerts/\(alert)?token=\(alert)")
        let spans = recorder.queue.take()
        #expect(spans.count == 1)
        let span = try #require(spans.first)
        #expect(span.name == "GET /v1/alerts/{id}")
        #expect(
            span.attributes == [
                "http.request.method": "GET", "http.route": "/v1/alerts/{id}",
                "http.response.status_code": 401,
            ])
        #expect(!"\(span)".contains(alert))
        #expect(!span.isError)
    }

    @Test func failureOfTheServerIsAnError() async throws {
        let recorder = TraceRecorder(percent: 100)
        let server = try server(recorder)
        server.database.fail(with: .closed)
        let answer = try await server.send("GET", "/health/ready")
        #expect(answer.status == 503)
        #expect(recorder.queue.take().first?.isError == true)
    }

    @Test func trustedProxyContinuesItsTrace() async throws {
        let recorder = TraceRecorder(percent: 1, random: { 99 })
        let server = try server(recorder, behind: TrustedProxies(peers: .all, hops: 1))
        try await server.send("GET", "/health/live", headers: ["traceparent": header])
        let span = try #require(recorder.queue.take().first)
        let parent = try #require(TraceContext(traceparent: header))
        #expect(span.place.trace == parent.trace && span.parent == parent.span)
        try await server.send("GET", "/health/live")
        #expect(recorder.queue.take().isEmpty)
    }

    @Test func trustedProxyDecidesAgainstSampling() async throws {
        let recorder = TraceRecorder(percent: 100)
        let server = try server(recorder, behind: TrustedProxies(peers: .all, hops: 1))
        try await server.send("GET", "/health/live", headers: ["traceparent": unsampled])
        #expect(recorder.queue.take().isEmpty)
    }

    @Test(arguments: [("10.0.0.1", true), ("11.0.0.1", false)])
    func onlyKnownNetworksContinueATrace(peer: String, isTrusted: Bool) async throws {
        let recorder = TraceRecorder(percent: 1, random: { 99 })
        let ranges = ["10.0.0.0/8"].compactMap(AddressRange.init)
        try await server(recorder, behind: TrustedProxies(peers: .networks(ranges), hops: nil))
            .send("GET", "/health/live", headers: ["traceparent": header], from: peer)
        #expect(recorder.queue.take().count == (isTrusted ? 1 : 0))
    }

    @Test func strangerDecidesNothing() async throws {
        let rarely = TraceRecorder(percent: 1, random: { 99 })
        try await server(rarely).send("GET", "/health/live", headers: ["traceparent": header])
        #expect(rarely.queue.take().isEmpty)
        let always = TraceRecorder(percent: 100)
        try await server(always).send("GET", "/health/live", headers: ["traceparent": unsampled])
        #expect(always.queue.take().first?.parent == nil)
    }

    @Test func requestInThisProcessBeginsNoTrace() async throws {
        let recorder = TraceRecorder(percent: 100)
        let server = try server(recorder)
        let context = LifeSignalContext(
            inProcessFor: "192.0.2.1", requestID: "page", logger: server.log.logger)
        try await server.send("GET", "/health/live", in: context)
        #expect(recorder.queue.take().isEmpty)
        let page = try #require(recorder.startRoot("page", ofKind: .server))
        try await ServiceContext.$current.withValue(page.context) {
            _ = try await server.send("GET", "/health/live", in: context)
        }
        page.end()
        #expect(recorder.queue.take().map(\.name) == ["GET /health/live", "page"])
    }

    @Test func serverWithoutTracesAnswers() async throws {
        #expect(try await server(nil).send("GET", "/health/live").status == 200)
    }
}
