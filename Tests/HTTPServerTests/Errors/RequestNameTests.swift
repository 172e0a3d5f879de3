import Logging
import Testing

@testable import HTTPServer

/// The id of a request connects an answer with its log lines.
@Suite struct RequestNameTests {
    private func answer(_ logger: Logger?) async throws -> Answer {
        let server = try TestServer()
        let channel = try server.channel()
        let context =
            logger.map { LifeSignalContext(source: .init(channel: channel, logger: $0)) }
            ?? server.context(on: channel)
        return try await server.send("GET", "/v1/me", in: context)
    }

    @Test func answerHasTheRequestIDOfTheLog() async throws {
        let answer = try await answer(nil)
        #expect(answer.status == 401)
        #expect(answer.header("X-Request-ID") == "request-1")
        #expect(answer.problem?.requestID == "request-1")
    }

    @Test func requestIDIsUnknownWithoutLogMetadata() async throws {
        let answer = try await answer(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(answer.status == 401)
        #expect(answer.header("X-Request-ID") == "unknown")
        #expect(answer.problem?.requestID == "unknown")
    }
}
