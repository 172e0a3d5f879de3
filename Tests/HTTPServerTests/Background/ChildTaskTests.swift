import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Testing

@testable import HTTPServer

@Suite struct ChildTaskTests {
    private struct Failure: Error, Equatable {}

    /// Answers with the task that answers.
    private struct TaskResponder: HTTPResponder {
        typealias Context = LifeSignalContext

        func respond(to request: Request, context: LifeSignalContext) async throws -> Response {
            guard request.uri.path == "/" else { throw Failure() }
            return Response(status: .ok, headers: [.server: "\(ChildTaskTests.task)"])
        }
    }

    private static var task: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }

    private func answer(_ method: HTTPRequest.Method, _ path: String = "/") async throws -> Response
    {
        let head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
        return try await ChildTaskResponder(responder: TaskResponder()).respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer())),
            context: LifeSignalContext(
                inProcessFor: "192.0.2.1", requestID: "1", logger: Logger(label: "test")))
    }

    @Test func onlyGETGetsATask() async throws {
        let own = "\(Self.task)"
        #expect(try await answer(.get).headers[.server] != own)
        #expect(try await answer(.put).headers[.server] == own)
        #expect(try await answer(.head).headers[.server] == own)
    }

    @Test func errorsPassThrough() async {
        await #expect(throws: Failure()) { try await answer(.get, "/other") }
    }
}
