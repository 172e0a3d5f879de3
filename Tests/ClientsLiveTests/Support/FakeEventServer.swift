import API
import ClientsLive
import Domain
import Foundation
import Synchronization

/// The server's side of event streams. A requested stream waits for the test's answer.
final class FakeEventServer: Sendable {
    final class FakeEventResponse: Sendable {
        let lastEventID: String?
        private let decision = AsyncStream.makeStream(of: Result<TransportStream, any Error>.self)
        private let body = AsyncThrowingStream<Data, any Error>.makeStream()
        private let drops = AsyncStream.makeStream(of: Void.self)

        init(_ request: TransportRequest) {
            lastEventID = request.headers["Last-Event-ID"]
            body.continuation.onTermination = { [drops] _ in drops.continuation.finish() }
        }

        fileprivate func stream() async throws -> TransportStream {
            for await decision in decision.stream { return try decision.get() }
            throw CancellationError()
        }

        func refuse() { decision.continuation.yield(.failure(ClientFailure.unreachable(.refused))) }

        func answer(_ response: TransportResponse) {
            body.continuation.yield(response.body)
            body.continuation.finish()
            decision.continuation.yield(
                .success(
                    TransportStream(
                        status: response.status, headers: response.headers, body: body.stream)))
        }

        /// Sends the head of an answer whose body never ends.
        func answerWithoutEnd(_ status: Int) {
            decision.continuation.yield(
                .success(TransportStream(status: status, headers: [:], body: body.stream)))
        }

        func ready(_ sequence: Int64) {
            send("id: \(sequence)\nevent: ready\ndata: {\"sequence\":\(sequence)}\n\n")
            decision.continuation.yield(
                .success(TransportStream(status: 200, headers: [:], body: body.stream)))
        }

        func event(_ sequence: Int64) {
            let contact: UserID = id(UInt8(sequence))
            send("id: \(sequence)\nevent: contactChanged\ndata: {\"contactID\":\"\(contact)\"}\n\n")
        }

        /// Sends a text. Opens the stream first if necessary.
        func send(_ text: String) {
            body.continuation.yield(Data(text.utf8))
            decision.continuation.yield(
                .success(TransportStream(status: 200, headers: [:], body: body.stream)))
        }

        func cut() { body.continuation.finish(throwing: ClientFailure.unreachable(.interrupted)) }

        /// Waits until the client drops the stream.
        func isDropped() async { for await _ in drops.stream {} }
    }

    private let responses = AsyncStream.makeStream(of: FakeEventResponse.self)

    @Sendable func open(_ request: TransportRequest, _ number: Int) async throws -> TransportStream
    {
        let response = FakeEventResponse(request)
        responses.continuation.yield(response)
        return try await response.stream()
    }

    func next() async -> FakeEventResponse {
        for await response in responses.stream { return response }
        return FakeEventResponse(TransportRequest(method: .get, path: ""))
    }
}
