import API
import ClientsLive
import Domain
import Foundation
import TCPListener
import Testing

/// Tests calls over real sockets, including network failures.
@Suite(.timeLimit(.minutes(5))) struct HTTPTransportTests {
    private func transport(_ listener: Listener) throws -> HTTPTransport {
        HTTPTransport(base: try listener.url("127.0.0.1", ""))
    }

    private let get = TransportRequest(
        method: .get, path: "/v1/contacts?limit=5", headers: ["Authorization": "Bearer x"],
        isRepeatable: true)

    @Test(arguments: ["/lifesignal", "/lifesignal/"])
    func requestGoesBelowTheServersPath(path: String) async throws {
        let listener = try await Listener(answer: Listener.http("200 OK", body: "{}"))
        _ = try await HTTPTransport(base: try listener.url("127.0.0.1", path)).send(get)
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.line == "GET /lifesignal/v1/contacts?limit=5 HTTP/1.1")
        try await listener.close()
    }

    @Test func requestArrivesUnchanged() async throws {
        let listener = try await Listener(
            answer: Listener.http("429 Too Many", headers: ["Retry-After: 9"], body: "{}"))
        let answer = try await transport(listener).send(get)
        #expect(
            answer.status == 429 && answer.headers["retry-after"] == "9"
                && answer.body == Data("{}".utf8))
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.line == "GET /v1/contacts?limit=5 HTTP/1.1")
        #expect(request.headers["authorization"] == "Bearer x")
        try await listener.close()
    }

    @Test func closedPortIsRefused() async throws {
        let listener = try await Listener(answer: nil)
        let transport = try transport(listener)
        try await listener.close()
        await #expect(throws: ClientFailure.unreachable(.refused)) { try await transport.send(get) }
        await #expect(throws: ClientFailure.unreachable(.refused)) {
            try await transport.stream(get)
        }
    }

    @Test func unknownHostIsNameNotFound() async throws {
        let transport = HTTPTransport(base: try #require(URL(string: "http://server.invalid")))
        await #expect(throws: ClientFailure.unreachable(.nameNotFound)) {
            try await transport.send(get)
        }
    }

    @Test func aServerWithoutTLSIsNotTrusted() async throws {
        let listener = try await Listener(answer: Listener.http("200 OK"))
        let transport = HTTPTransport(
            base: try #require(URL(string: "https://127.0.0.1:\(listener.port)")))
        var quick = get
        quick.timeout = .seconds(2)
        do {
            _ = try await transport.send(quick)
            throw Unexpected()
        } catch let failure as ClientFailure {
            // The listener either waits for the rest of the request, or answers without TLS.
            #expect([.unreachable(.insecure), .unreachable(.timedOut)].contains(failure))
        }
        try await listener.close()
    }

    @Test func silentServerTimesOut() async throws {
        let listener = try await Listener(answer: nil)
        var quick = get
        quick.timeout = .milliseconds(150)
        let transport = try transport(listener)
        await #expect(throws: ClientFailure.unreachable(.timedOut)) {
            try await transport.send(quick)
        }
        try await listener.close()
    }

    @Test func cutStreamIsInterrupted() async throws {
        let listener = try await Listener(
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n:\n\n\r\n")
        let stream = try await transport(listener).stream(get)
        var iterator = stream.body.makeAsyncIterator()
        #expect(try await iterator.next() == Data(":\n\n".utf8))
        listener.cut()
        await #expect(throws: ClientFailure.unreachable(.interrupted)) { try await iterator.next() }
        try await listener.close()
    }
}
