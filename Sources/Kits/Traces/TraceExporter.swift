import Foundation
import HTTPClient
import Tracing

/// Sends finished spans to a collector by OTLP over HTTP, as JSON.
public struct TraceExporter: Sendable {
    /// Shorter than a server's stop may take.
    private static let timeout: Duration = .seconds(3)

    private let recorder: TraceRecorder
    private let url: URL
    private let version: String
    private let client = HTTPClient(allowsPrivateAddresses: true, connections: 1)

    /// - Parameter version: the program's version.
    public init(_ recorder: TraceRecorder, to url: URL, version: String) {
        (self.recorder, self.url, self.version) = (recorder, url, version)
    }

    /// Sends all finished spans in batches. Drops a batch that the collector doesn't take.
    public func export() async throws {
        while true {
            let batch = recorder.queue.take()
            guard !batch.isEmpty else { return }
            do {
                try await send(batch)
            } catch {
                recorder.queue.noteDropped(batch.count)
                throw error
            }
        }
    }

    private func send(_ batch: [FinishedSpan]) async throws {
        let answer = try await client.send(
            OutgoingRequest(
                url: url, headers: [("Content-Type", "application/json")],
                body: try JSONEncoder().encode(OTLPRequest(batch, version: version)),
                timeout: Self.timeout))
        guard (200..<300).contains(answer.status) else {
            throw HTTPClientError.failed("the collector answered \(answer.status)")
        }
    }
}
