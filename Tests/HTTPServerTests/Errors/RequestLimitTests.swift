import Domain
import Foundation
import HTTPTypes
import Testing

@testable import HTTPServer

@Suite struct RequestLimitTests {
    private func status(_ server: TestServer, _ address: String, cookie: String? = nil) async throws
        -> Int
    {
        try await server.send(
            "GET", "/health/live", headers: cookie.map { ["Cookie": $0] } ?? [:], from: address
        ).status
    }

    @Test func networkIsLimitedAcrossItsAddresses() async throws {
        // Each /64 may make one request at once, and the surrounding /48 may make five.
        let server = try TestServer { $0.configuration.requestsPerAddress = 2 }
        for number in 0..<5 {
            #expect(try await status(server, "2001:db8:1:\(number)::1") == 200)
        }
        #expect(try await status(server, "2001:db8:1:5::1") == 429)
        #expect(try await status(server, "2001:db8:2::1") == 200)
        #expect(try await status(server, "2001:db8:2::2") == 429, "the same /64")
        for number in 1...6 { #expect(try await status(server, "192.0.2.\(number)") == 200) }
    }

    @Test func pageCountsForItsUserInsteadOfItsAddress() async throws {
        func caller() -> Caller { Caller(userID: UserID(UUID()), sessionID: SessionID(UUID())) }
        let (ada, ben) = (caller(), caller())
        let server = try TestServer {
            $0.configuration.requestsPerAddress = 4
            $0.pageCaller = { ["ada": ada, "ben": ben][$0.headers[.cookie] ?? ""] }
        }
        for _ in 0..<2 { #expect(try await status(server, "192.0.2.1") == 200) }
        #expect(try await status(server, "192.0.2.1") == 429)
        #expect(try await status(server, "192.0.2.1", cookie: "forged") == 429)
        for _ in 0..<2 { #expect(try await status(server, "192.0.2.1", cookie: "ada") == 200) }
        // The user's limit applies at every address.
        #expect(try await status(server, "192.0.2.9", cookie: "ada") == 429)
        #expect(try await status(server, "192.0.2.1", cookie: "ben") == 200)
        #expect(try await status(server, "192.0.2.9") == 200)
    }
}
