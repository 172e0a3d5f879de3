import Domain
import Foundation
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

    private func server(trusting peers: TrustedProxies.Peers) throws -> TestServer {
        try TestServer { $0.configuration.proxies = TrustedProxies(peers: peers, hops: 1) }
    }

    @Test func answerHasTheRequestIDOfTheLog() async throws {
        let answer = try await answer(nil)
        #expect(answer.status == 401)
        #expect(answer.header("X-Request-ID") == "request-1")
        #expect(answer.problem?.requestID == "request-1")
    }

    @Test func requestIDsAreRandom() {
        let ids = (0..<2).compactMap { _ in UUID(uuidString: LifeSignalContext.newRequestID()) }
        #expect(ids.count == 2 && ids.first != ids.last)
    }

    @Test(arguments: ["a", "4b1f-2_3.4:5", String(repeating: "x", count: 128)])
    func trustedProxyChoosesTheRequestID(id: String) async throws {
        let server = try server(trusting: .all)
        let answer = try await server.send("GET", "/v1/me", headers: ["X-Request-ID": id])
        #expect(answer.header("X-Request-ID") == id)
        #expect(answer.problem?.requestID == id)
        #expect(server.log.text.contains("hb.request.id=\(id) "))
    }

    @Test(arguments: ["", "a b", "a=b", "\"", "[HTTPServer]", String(repeating: "x", count: 129)])
    func malformedRequestIDIsIgnored(id: String) async throws {
        let server = try server(trusting: .all)
        let answer = try await server.send("GET", "/v1/me", headers: ["X-Request-ID": id])
        #expect(answer.header("X-Request-ID") == "request-1")
    }

    @Test(arguments: [("10.0.0.1", "mine"), ("11.0.0.1", "request-1")])
    func onlyKnownNetworksChooseTheRequestID(peer: String, expected: String) async throws {
        let ranges = ["10.0.0.0/8"].compactMap(AddressRange.init)
        let server = try server(trusting: .networks(ranges))
        let answer = try await server.send(
            "GET", "/v1/me", headers: ["X-Request-ID": "mine"], from: peer)
        #expect(answer.header("X-Request-ID") == expected)
    }

    @Test func clientDoesNotChooseTheRequestID() async throws {
        let answer = try await TestServer().send("GET", "/v1/me", headers: ["X-Request-ID": "mine"])
        #expect(answer.header("X-Request-ID") == "request-1")
    }

    @Test func requestIDIsUnknownWithoutLogMetadata() async throws {
        let answer = try await answer(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(answer.status == 401)
        #expect(answer.header("X-Request-ID") == "unknown")
        #expect(answer.problem?.requestID == "unknown")
    }
}
