import CCurl
import Foundation
import TCPListener
import Testing

@testable import HTTPClient

/// Tests which connections are kept for reuse, and which requests must not use them.
@Suite(.timeLimit(.minutes(5))) struct ConnectionReuseTests {
    private let client = HTTPClient(allowsPrivateAddresses: true)
    private static let kept =
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-One: a\r\nx-one: b\r\n\r\nok"

    @Test func oneConnectionServesManyRequests() async throws {
        let listener = try await Listener(answer: Self.kept)
        for _ in 0..<10 {
            #expect(
                try await client.send(OutgoingRequest(method: "GET", url: try listener.url())).body
                    == Data("ok".utf8))
        }
        #expect(listener.connections == 1)
        #expect(listener.requests.count == 10)
        try await listener.close()
    }

    @Test func whatMustNotBeSentTwiceGetsAConnectionOfItsOwn() async throws {
        let listener = try await Listener(answer: Self.kept)
        _ = try await client.send(OutgoingRequest(method: "GET", url: try listener.url()))
        _ = try await client.send(OutgoingRequest(method: "POST", url: try listener.url()))
        #expect(listener.connections == 2)
        _ = try await client.send(
            OutgoingRequest(method: "POST", url: try listener.url(), isRepeatable: true))
        #expect(listener.connections == 2)
        try await listener.close()
    }

    @Test func aKeptConnectionThatWasCutIsReplaced() async throws {
        let listener = try await Listener(answer: Self.kept)
        _ = try await client.send(OutgoingRequest(method: "GET", url: try listener.url()))
        listener.cut()
        await listener.isOpen(0)
        #expect(
            try await client.send(OutgoingRequest(method: "GET", url: try listener.url())).status
                == 200)
        #expect(listener.connections == 2)
        try await listener.close()
    }

    #if canImport(Glibc)
    /// A peer that vanishes without closing its connection would get every later request.
    @Test func kernelEndsConnectionsToSilentPeers() throws {
        let guardian = AddressGuardian(.all, isTLS: false)
        var address = curl_sockaddr()
        address.family = AF_INET
        address.socktype = Int32(SOCK_STREAM.rawValue)
        let descriptor = withExtendedLifetime(guardian) {
            openSocket(
                Unmanaged.passUnretained(guardian).toOpaque(), CURLSOCKTYPE_IPCXN, &address)
        }
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var limit: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let code = getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &limit, &size)
        #expect(code == 0 && limit == 10_000)
    }
    #endif

    @Test func headersAreReadByLowerCaseNameAndJoined() async throws {
        let listener = try await Listener(
            answer: "HTTP/1.1 100 Continue\r\nX-No: 1\r\n\r\n" + Self.kept)
        let response = try await client.send(
            OutgoingRequest(method: "GET", url: try listener.url()))
        #expect(response.headers == ["content-length": "2", "x-one": "a, b"])
        try await listener.close()
    }

    @Test func manyRequestsAtOnce() async throws {
        let listener = try await Listener(answer: Self.kept)
        let url = try listener.url()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask { [client] in
                    try await client.send(OutgoingRequest(method: "GET", url: url)).status
                }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(listener.requests.count == 100)
        try await listener.close()
    }

    @Test func theThreadEndsWithTheClient() async throws {
        let listener = try await Listener(answer: Self.kept)
        do {
            let passing = HTTPClient(allowsPrivateAddresses: true)
            _ = try await passing.send(OutgoingRequest(method: "GET", url: try listener.url()))
        }
        // Releasing the client closes its connections.
        await listener.isOpen(0)
        try await listener.close()
    }
}
