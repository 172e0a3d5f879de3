import Foundation
import Testing

@testable import HTTPServer

@Suite struct ProcessMetricsTests {
    private func read() throws -> PrometheusText {
        let metrics = Metrics()
        ProcessMetrics.add(to: metrics, descriptorLimit: 1_000, version: "1.2")
        return try PrometheusText(metrics.text())
    }

    private func value(_ name: String) throws -> Double {
        try #require(try read().values(name).first?.value)
    }

    @Test func buildInfoNamesTheVersion() throws {
        let sample = try #require(try read().values("lifesignal_build_info").first)
        #expect(sample.labels == ["version": "1.2"] && sample.value == 1)
    }

    @Test func cpuTimeGrows() throws {
        let before = try value("process_cpu_seconds_total")
        while try value("process_cpu_seconds_total") == before {}
        #expect(try read().types["process_cpu_seconds_total"] == "counter")
    }

    @Test func fileLimitIsTheGivenOne() throws {
        #expect(try value("process_max_fds") == 1_000)
    }

    #if os(Linux)
    @Test func memoryIsThatOfARunningProgram() throws {
        let memory = try value("process_resident_memory_bytes")
        #expect(memory > 1_000_000 && memory < 100_000_000_000)
    }

    @Test func openFilesAreCounted() throws {
        // Other tests open and close files at the same time.
        let files = try value("process_open_fds")
        #expect(files >= 1 && files < 10_000)
    }

    @Test func processStartedBeforeNow() throws {
        let now = Date().timeIntervalSince1970
        let start = try value("process_start_time_seconds")
        #expect(start < now + 1 && start > now - 86_400)
    }
    #endif
}
