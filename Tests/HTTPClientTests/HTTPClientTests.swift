import Foundation
import TCPListener
import Testing

@testable import HTTPClient

/// Sends the client's requests to real listeners on this machine.
@Suite(.timeLimit(.minutes(5))) struct HTTPClientTests {
    private let open = HTTPClient(allowsPrivateAddresses: true)
    private let careful = HTTPClient(allowsPrivateAddresses: false)

    private func error(_ client: HTTPClient, _ request: OutgoingRequest) async -> HTTPClientError? {
        do {
            _ = try await client.send(request)
            return nil
        } catch {
            return error as? HTTPClientError
        }
    }

    @Test func aPrivateAddressIsNeverConnectedTo() async throws {
        let listener = try await Listener(answer: Listener.http("200 OK"))
        for host in [
            "127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "0.0.0.0",
            "[::ffff:127.0.0.1]",
        ] {
            #expect(
                await error(careful, OutgoingRequest(url: try listener.url(host)))
                    == .privateAddress, "\(host)")
        }
        #expect(listener.connections == 0)
        try await listener.close()
    }

    @Test func neitherIsOneByIPv6() async throws {
        let listener = try await Listener(host: "::1", answer: Listener.http("200 OK"))
        #expect(
            await error(careful, OutgoingRequest(url: try listener.url("[::1]"))) == .privateAddress
        )
        #expect(listener.connections == 0)
        #expect(try await open.send(OutgoingRequest(url: try listener.url("[::1]"))).status == 200)
        try await listener.close()
    }

    /// libcurl resolves "localhost" to ::1 and 127.0.0.1, and tries ::1 first.
    @Test func oneAllowedAddressOfAHostIsEnough() async throws {
        let client = HTTPClient(allowed: .publicAnd { $0.count == 4 })
        let listener = try await Listener(answer: Listener.http("200 OK"))
        let url = try listener.url("localhost")
        #expect(try await client.send(OutgoingRequest(url: url)).status == 200)
        let refused = OutgoingRequest(url: try listener.url("[::1]"))
        #expect(await error(client, refused) == .privateAddress)
        try await listener.close()
    }

    @Test func allowedAddressTellsWhyItFails() async throws {
        let client = HTTPClient(allowed: .publicAnd { $0.count == 4 })
        let port = try RefusingPort()
        let number = try #require(port.url.port)
        let url = try #require(URL(string: "http://localhost:\(number)/hook"))
        #expect(await error(client, OutgoingRequest(url: url)) == .refused)
        withExtendedLifetime(port) {}
    }

    @Test func whereAllUsersAreTrustedItIs() async throws {
        let listener = try await Listener(answer: Listener.http("201 Created", body: "thanks"))
        for host in ["127.0.0.1", "localhost"] {
            let response = try await open.send(
                OutgoingRequest(
                    url: try listener.url(host), headers: [("X-Test", "yes"), ("X-Empty", "")],
                    body: Data("{}".utf8)))
            #expect(response.status == 201)
            #expect(response.body == Data("thanks".utf8))
        }
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.line == "POST /hook HTTP/1.1")
        #expect(request.headers["x-test"] == "yes")
        #expect(request.headers["expect"] == nil)
        #expect(request.body == "{}")
        try await listener.close()
    }

    @Test func theMethodIsTheOneOfTheRequest() async throws {
        let listener = try await Listener(answer: Listener.http("200 OK"))
        for method in ["GET", "DELETE", "PUT"] {
            _ = try await open.send(OutgoingRequest(method: method, url: try listener.url()))
        }
        #expect(
            listener.requests.compactMap(ReceivedRequest.init).map(\.line) == [
                "GET /hook HTTP/1.1", "DELETE /hook HTTP/1.1", "PUT /hook HTTP/1.1",
            ])
        try await listener.close()
    }

    @Test func aPostWithoutABodySaysSo() async throws {
        let listener = try await Listener(answer: Listener.http("200 OK"))
        _ = try await open.send(OutgoingRequest(url: try listener.url()))
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.line == "POST /hook HTTP/1.1")
        #expect(request.headers["content-length"] == "0")
        #expect(request.body == "")
        try await listener.close()
    }

    /// The second body begins with a combining mark, and the third isn't text.
    @Test(arguments: [Data("{}".utf8), Data("\u{308}".utf8), Data([0xFF, 0x00])])
    func aBodyMayBeginWithAnyBytes(body: Data) async throws {
        let listener = try await Listener(answer: Listener.http("200 OK"))
        let response = try await open.send(OutgoingRequest(url: try listener.url(), body: body))
        #expect(response.status == 200)
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.body == String(decoding: body, as: UTF8.self))
        try await listener.close()
    }

    @Test(arguments: ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
    func aRedirectIsAnAnswerAndNotFollowed(status: String) async throws {
        let other = try await Listener(answer: Listener.http("200 OK"))
        let listener = try await Listener(
            answer: Listener.http(status, headers: ["Location: \(try other.url())"]))
        let response = try await open.send(OutgoingRequest(url: try listener.url()))
        #expect(response.status == Int(status.prefix(3)))
        #expect(other.connections == 0)
        try await listener.close()
        try await other.close()
    }

    @Test func aServerThatSaysNothingTimesOut() async throws {
        let listener = try await Listener(answer: nil)
        #expect(
            await error(open, OutgoingRequest(url: try listener.url(), timeout: .milliseconds(200)))
                == .timedOut)
        while listener.connections < 1 { await Task.yield() }
        #expect(listener.connections == 1)
        try await listener.close()
    }

    @Test func aServerThatNeverFinishesTimesOut() async throws {
        let listener = try await Listener(answer: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab")
        #expect(
            await error(open, OutgoingRequest(url: try listener.url(), timeout: .milliseconds(200)))
                == .timedOut)
        try await listener.close()
    }

    /// The listener accepts the connection but never answers the TLS handshake.
    @Test func requestWithoutAConnectionIsNotSent() async throws {
        let listener = try await Listener(answer: nil)
        let url = try #require(URL(string: "https://127.0.0.1:\(listener.port)/hook"))
        #expect(
            await error(open, OutgoingRequest(url: url, timeout: .milliseconds(200)))
                == .notConnected)
        #expect(listener.requests.isEmpty)
        try await listener.close()
    }

    @Test func nobodyListening() async throws {
        let port = try RefusingPort()
        #expect(await error(open, OutgoingRequest(url: port.url)) == .refused)
        withExtendedLifetime(port) {}
    }

    @Test func whatIsNotHTTPIsAFailure() async throws {
        let listener = try await Listener(answer: "220 mail ready\r\n")
        #expect(
            await error(open, OutgoingRequest(url: try listener.url(), timeout: .milliseconds(500)))
                != nil)
        for address in ["file:///etc/hostname", "ftp://127.0.0.1/", "gopher://127.0.0.1/"] {
            guard
                case .failed = await error(
                    open, OutgoingRequest(url: try #require(URL(string: address))))
            else { throw Unexpected() }
        }
        try await listener.close()
    }

    @Test func aBodyWithoutAnEndIsReadUpToEightMegabytes() async throws {
        let listener = try await Listener(
            answer: "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 9_000_000))
        let response = try await open.send(
            OutgoingRequest(url: try listener.url(), timeout: .seconds(120)))
        #expect(response.status == 200)
        #expect(response.body.count == 8_388_608)
        try await listener.close()
    }

    @Test func aRequestCanReadLessOfItsAnswer() async throws {
        let listener = try await Listener(
            answer: "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 1_000_000))
        var request = OutgoingRequest(url: try listener.url(), timeout: .seconds(120))
        request.responseLimit = 64 * 1024
        let response = try await open.send(request)
        #expect(response.status == 200)
        #expect(response.body.count == 64 * 1024)
        try await listener.close()
    }
}

struct Unexpected: Error {}
