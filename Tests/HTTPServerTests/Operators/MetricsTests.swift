import API
import Domain
import Foundation
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(5))) struct MetricsTests {
    private func read(_ metrics: Metrics) throws -> PrometheusText {
        try PrometheusText(metrics.text())
    }

    @Test func counterCountsPerLabel() throws {
        let metrics = Metrics()
        metrics.count(.reminders)
        metrics.count(.reminders, by: 2.5)
        metrics.count(.deliveries, labels: #"channel="sms",state="accepted""#)
        metrics.count(.deliveries, labels: #"channel="webhook",state="failed""#, by: 3)
        let text = try read(metrics)
        #expect(text.values("lifesignal_reminders_total").map(\.value) == [3.5])
        #expect(
            text.values("lifesignal_deliveries_total").first { $0.labels["channel"] == "webhook" }?
                .value == 3)
        #expect(text.types["lifesignal_deliveries_total"] == "counter")
    }

    @Test func histogramBucketsAreCumulativeAndInclusive() throws {
        let metrics = Metrics()
        for value in [0.001, 0.0011, 0.0025, 5, 5.1, 1_000] {
            metrics.observe(.latency, labels: #"route="/v1/me""#, value)
        }
        let text = try read(metrics)
        let buckets = text.values("lifesignal_http_request_duration_seconds_bucket")
        func count(_ bound: String) -> Double? { buckets.first { $0.labels["le"] == bound }?.value }
        #expect(count("0.001") == 1)
        #expect(count("0.0025") == 3)
        #expect(count("2.5") == 3)
        #expect(count("5") == 4)
        #expect(count("+Inf") == 6)
        #expect(text.values("lifesignal_http_request_duration_seconds_count").map(\.value) == [6])
        let sum = try #require(
            text.values("lifesignal_http_request_duration_seconds_sum").first?.value)
        #expect(abs(sum - 1_010.1046) < 0.000_001)
        #expect(buckets.allSatisfy { $0.labels["route"] == "/v1/me" })
    }

    @Test func gaugeIsReadAtEachScrape() throws {
        let metrics = Metrics()
        let counter = Counter()
        metrics.add(.init(.streams) { Double(counter.next()) })
        #expect(try read(metrics).values("lifesignal_event_streams").map(\.value) == [1])
        #expect(try read(metrics).values("lifesignal_event_streams").map(\.value) == [2])
    }

    @Test(arguments: [0.1, -2, 1e-7, 1e15, 1e18, 123_456_789_012, .infinity, -.infinity])
    func valueSurvivesARoundTrip(value: Double) throws {
        let metrics = Metrics()
        metrics.add(.init(.clockGap) { value })
        #expect(try read(metrics).values("lifesignal_clock_gap_seconds").map(\.value) == [value])
    }

    @Test func everyMetricIsExported() throws {
        let metrics = Metrics()
        for metric in Metric.allCases {
            #expect(["lifesignal_", "process_"].contains(where: metric.name.hasPrefix))
            #expect(metric.buckets == metric.buckets.sorted())
            switch metric.kind {
            case "counter": metrics.count(metric)
            case "gauge": metrics.add(.init(metric) { 1 })
            default: metrics.observe(metric, 1)
            }
        }
        let text = try read(metrics)
        #expect(Set(text.types.keys) == Set(Metric.allCases.map(\.name)))
        #expect(text.helps == Set(Metric.allCases.map(\.name)))
    }
}

@Suite(.timeLimit(.minutes(5))) struct ScrapeTests {
    @Test func metricsUseRouteTemplates() async throws {
        let scene = try await Scene()
        let server = scene.server
        for _ in 0..<3 {
            try await server.send("GET", "/v1/alerts/\(Scene.alertID)", token: scene.olga.token)
        }
        try await server.send("GET", "/v1/alerts/\(id(99) as AlertID)", token: scene.olga.token)
        for number in 0..<20 {
            try await server.send("BREW\(number)", "/secret/\(number)?token=\(number)")
        }
        let answer = try await server.send("GET", "/metrics")
        #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        let text = try PrometheusText(answer.text)
        func count(_ labels: [String: String]) -> Double? {
            text.values("lifesignal_http_requests_total").first { $0.labels == labels }?.value
        }
        #expect(count(["method": "GET", "route": "/v1/alerts/{id}", "status": "200"]) == 3)
        #expect(count(["method": "GET", "route": "/v1/alerts/{id}", "status": "404"]) == 1)
        #expect(count(["method": "other", "route": "NotFound", "status": "404"]) == 20)
        #expect(
            text.values("lifesignal_http_request_duration_seconds_count").contains {
                $0.labels["route"] == "/v1/alerts/{id}" && $0.value == 4
            })
        let templates = Set(Routes.all.map(\.path) + ["NotFound"])
        for sample in text.samples {
            #expect(Set(sample.labels.keys).isSubset(of: ["method", "route", "status", "le"]))
            if let route = sample.labels["route"] { #expect(templates.contains(route), "\(route)") }
        }
    }

    @Test func sentEventsAreCounted() async throws {
        let scene = try await Scene()
        let stream = try await OpenStream(scene.server, scene.rita)
        #expect(await stream.next()?.event == "ready")
        try await scene.server.call(Routes.endAlert, id: "\(Scene.alertID)", by: scene.olga)
        _ = await stream.frames(2)
        scene.server.hub.keepAlive()
        #expect(await stream.next()?.isComment == true)
        let text = try PrometheusText(try await scene.server.send("GET", "/metrics").text)
        #expect(text.values("lifesignal_events_sent_total").map(\.value) == [2])
    }
}
