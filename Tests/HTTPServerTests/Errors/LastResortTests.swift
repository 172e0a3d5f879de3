import API
import Domain
import Foundation
import Testing

@testable import HTTPServer

/// Rate limits never reject an alert (product.md, "Manual alert"). They never reject a check-in
/// more than ten seconds newer than the last one (product.md, "Check-in").
@Suite struct LastResortTests {
    private func callForHelp(
        _ server: TestServer, _ token: String, _ alert: UInt8 = 1, _ body: Content? = nil,
        from address: String = "192.0.2.1"
    ) async throws -> Answer {
        let id: AlertID = id(alert)
        return try await server.send("PUT", "/v1/alerts/\(id)", body, token: token, from: address)
    }

    private func checkIn(
        _ server: TestServer, _ token: String, at moment: Date? = nil,
        from address: String = "192.0.2.1", padding: Int = 0,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        let moment = Timestamp.text(moment ?? server.clock.now())
        let body = Content.json(
            #"{"occurredAt":"\#(moment)"\#(String(repeating: " ", count: padding))}"#)
        return try await server.send(
            "PUT", "/v1/check-ins/\(server.numbers.uuid().uuidString)", body, token: token,
            headers: headers, from: address)
    }

    /// Returns a server on which Ada has used up her own limit.
    private func busyUser() async throws -> (server: TestServer, ada: Person) {
        let server = try TestServer { $0.configuration.requestsPerUser = 20 }
        let ada = try await server.person("Ada", number: "+4915100000001")
        #expect(try await checkIn(server, ada.token).status == 200)
        while try await server.send("GET", "/v1/me", token: ada.token).status == 200 {}
        return (server, ada)
    }

    /// Returns a server on which Ada's address has used up its limit.
    private func busyAddress(_ address: String = "192.0.2.1") async throws -> (
        server: TestServer, ada: Person
    ) {
        let server = try TestServer { $0.configuration.requestsPerAddress = 20 }
        let ada = try await server.person("Ada", number: "+4915100000001")
        #expect(try await checkIn(server, ada.token, from: "203.0.113.1").status == 200)
        while try await server.send("GET", "/health/live", from: address).status == 200 {}
        return (server, ada)
    }

    @Test func userOverTheLimitCanCheckInAfterTenSeconds() async throws {
        let (server, ada) = try await busyUser()
        server.clock.advance(by: .milliseconds(1))
        #expect(try await checkIn(server, ada.token).status == 429)
        let moment = noon.adding(.milliseconds(10_001))
        while server.clock.now() < moment {
            server.clock.advance(by: .milliseconds(2_500))
            while try await server.send("GET", "/v1/me", token: ada.token).status == 200 {}
        }
        #expect(try await checkIn(server, ada.token, at: noon.adding(.seconds(10))).status == 429)
        #expect(try await checkIn(server, ada.token, at: moment).status == 200)
        let answer = try await checkIn(server, ada.token, at: moment)
        #expect(answer.status == 429 && answer.header("Retry-After") != nil)
        #expect(answer.problemViolations() == [])
    }

    @Test func addressOverTheLimitCannotRepeatACheckIn() async throws {
        let (server, ada) = try await busyAddress()
        #expect(try await checkIn(server, ada.token).status == 429)
        server.clock.advance(by: .milliseconds(500))
        while try await server.send("GET", "/health/live").status == 200 {}
        #expect(try await checkIn(server, ada.token, at: noon.adding(.seconds(-60))).status == 429)
        #expect(try await server.send("GET", "/v1/me", token: ada.token).status == 429)
    }

    @Test func addressOverTheLimitCanSendANewerCheckIn() async throws {
        let (server, ada) = try await busyAddress()
        let until = noon.adding(.seconds(11))
        while server.clock.now() < until {
            server.clock.advance(by: .milliseconds(2_500))
            while try await server.send("GET", "/health/live").status == 200 {}
        }
        #expect(try await checkIn(server, ada.token).status == 200)
        #expect(try await checkIn(server, ada.token).status == 429)
    }

    /// Adds a source of this person from another address, and returns the path of its address.
    private func source(_ server: TestServer, of person: Person) async throws -> String {
        let answer = try await server.send(
            "POST", "/v1/sources", try .json(SourceRequest(name: "Kitchen button")),
            token: person.token, from: "203.0.113.1")
        try #require(answer.status == 201)
        return try WireJSON.decoder().decode(NewSource.self, from: answer.body).address.path
    }

    @Test func addressOverTheLimitCanCheckInBySourceOnceAMinute() async throws {
        let (server, ada) = try await busyAddress()
        let button = try await source(server, of: ada)
        #expect(try await server.send("POST", button).status == 200)
        let second = try await server.send("POST", button)
        #expect(second.status == 429 && second.header("Retry-After") == "60")
        server.clock.advance(by: .minutes(1) - .milliseconds(1))
        while try await server.send("GET", "/health/live").status == 200 {}
        #expect(try await server.send("POST", button).status == 429)
        server.clock.advance(by: .milliseconds(1))
        #expect(try await server.send("GET", "/health/live").status == 429)
        #expect(try await server.send("POST", button).status == 200)
    }

    @Test func sourceOverTheLimitNeedsItsSecretAndASmallBody() async throws {
        let (server, ada) = try await busyAddress()
        let button = try await source(server, of: ada)
        for secret in ["x", String(repeating: "A", count: 43)] {
            #expect(try await server.send("POST", "/s/\(secret)").status == 429)
        }
        let long = Content(type: nil, bytes: Data(repeating: 65, count: 1_001))
        #expect(try await server.send("POST", button, long).status == 429)
        #expect(try await server.send("GET", button).status == 429)
        let short = Content(type: nil, bytes: Data(repeating: 65, count: 1_000))
        #expect(try await server.send("POST", button, short).status == 200)
    }

    /// Another user in the same /64 floods the server.
    @Test func ipv6NetworkSharesOneLimit() async throws {
        let (server, ada) = try await busyAddress("2001:db8:1:2::1")
        #expect(
            try await server.send("GET", "/health/live", from: "2001:db8:1:2:ffff::1").status == 429
        )
        #expect(try await server.send("GET", "/health/live", from: "2001:db8:1:3::1").status == 200)
        server.clock.advance(by: .milliseconds(10_001))
        while try await server.send("GET", "/health/live", from: "2001:db8:1:2::1").status == 200 {}
        #expect(try await checkIn(server, ada.token, from: "2001:db8:1:2::7").status == 200)
    }

    @Test func checkInOverTheLimitNeedsASession() async throws {
        let (server, _) = try await busyAddress()
        let invented = String(repeating: "A", count: 43)
        #expect(try await checkIn(server, invented).status == 401)
        #expect(
            try await server.send(
                "PUT", "/v1/check-ins/\(server.numbers.uuid().uuidString)", .json("{}")
            ).status == 401)
    }

    @Test func checkInOverTheLimitNeedsASmallBody() async throws {
        let (server, ada) = try await busyAddress()
        #expect(try await checkIn(server, ada.token, padding: 1_000).status == 429)
        let piecemeal = Content(type: "application/json", bytes: Data("{}".utf8), isChunked: true)
        let path = "/v1/check-ins/\(server.numbers.uuid().uuidString)"
        #expect(try await server.send("PUT", path, piecemeal, token: ada.token).status == 429)
    }

    /// After 15 minutes without requests, a device needs new tokens before it can check in.
    @Test func refreshOverTheLimitWorksOnceAMinute() async throws {
        let (server, ada) = try await busyAddress()
        func refresh(_ token: String) async throws -> Answer {
            try await server.send(
                "POST", "/v1/auth/tokens", try .json(RefreshRequest(refreshToken: token)))
        }
        func flood() async throws {
            while try await server.send("GET", "/health/live").status == 200 {}
        }
        #expect(try await refresh(ada.refreshToken).status == 429)
        server.clock.advance(by: .minutes(1))
        try await flood()
        let answer = try await refresh(ada.refreshToken)
        #expect(answer.status == 200)
        let next = try #require(answer.json?.object?["refreshToken"]?.string)
        #expect(try await refresh(next).status == 429)
        #expect(try await refresh(String(repeating: "A", count: 43)).status == 429)
    }

    /// Another user in the same network floods the server.
    @Test func addressOverTheLimitCanRaiseAnAlert() async throws {
        let (server, ada) = try await busyAddress("2001:db8:1:2::1")
        let place = "2001:db8:1:2::7"
        #expect(try await server.send("GET", "/v1/me", token: ada.token, from: place).status == 429)
        #expect(try await callForHelp(server, ada.token, from: place).status == 200)
        let raisedAt = Timestamp.text(server.clock.now())
        let body = Content.json(#"{"raisedAt":"\#(raisedAt)"}"#)
        let again = try await callForHelp(server, ada.token, 2, body, from: place)
        #expect(again.status == 200)
        #expect(again.json?.object?["id"]?.string == "\(id(1) as AlertID)")
        #expect(try await server.send("GET", "/v1/me", token: ada.token, from: place).status == 429)
    }

    @Test func userOverTheLimitCanRaiseAnAlert() async throws {
        let (server, ada) = try await busyUser()
        #expect(try await callForHelp(server, ada.token).status == 200)
        #expect(try await server.send("GET", "/v1/me", token: ada.token).status == 429)
    }

    /// curl can name a media type without a body and its length.
    @Test func alertOverTheLimitMayNameAMediaType() async throws {
        let (server, ada) = try await busyAddress()
        let answer = try await server.send(
            "PUT", "/v1/alerts/\(id(1) as AlertID)", token: ada.token,
            headers: ["Content-Type": "application/json"])
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test func alertsOverTheLimitHaveTheirOwnLimit() async throws {
        let (server, ada) = try await busyAddress()
        for _ in 0..<3 { #expect(try await callForHelp(server, ada.token).status == 200) }
        let answer = try await callForHelp(server, ada.token)
        #expect(answer.status == 429 && answer.header("Retry-After") != nil)
        server.clock.advance(by: .milliseconds(10_001))
        while try await server.send("GET", "/health/live").status == 200 {}
        #expect(try await callForHelp(server, ada.token).status == 200)
        #expect(try await callForHelp(server, ada.token).status == 429)
        // Alerts count only after a limit has been reached.
        let elsewhere = "203.0.113.1"
        for _ in 0..<5 {
            #expect(try await callForHelp(server, ada.token, from: elsewhere).status == 200)
        }
    }

    /// A stolen session floods the server.
    @Test func floodingSessionLeavesTheOthersTheirAlerts() async throws {
        let (server, ada) = try await busyUser()
        let phone = try await server.signIn("+4915100000001")
        for _ in 0..<3 { #expect(try await callForHelp(server, ada.token).status == 200) }
        #expect(try await callForHelp(server, ada.token).status == 429)
        for _ in 0..<3 { #expect(try await callForHelp(server, phone.token).status == 200) }
        #expect(try await callForHelp(server, phone.token).status == 429)
    }

    @Test func floodingSessionCanBeEnded() async throws {
        let (server, ada) = try await busyUser()
        let phone = try await server.signIn("+4915100000001")
        let path = "/v1/auth/sessions"
        func end(_ session: SessionID, by token: String) async throws -> Int {
            try await server.send("DELETE", "\(path)/\(session)", token: token).status
        }
        #expect(try await server.send("GET", "/v1/me", token: phone.token).status == 429)
        // The flooding session has used up its own limit.
        for _ in 0..<3 {
            #expect(try await server.send("GET", path, token: ada.token).status == 200)
        }
        #expect(try await end(phone.session, by: ada.token) == 429)
        #expect(try await server.send("GET", path, token: phone.token).status == 200)
        #expect(try await end(ada.session, by: phone.token) == 204)
        #expect(try await server.send("GET", "/v1/me", token: ada.token).status == 401)
    }

    @Test func sessionOverTheLimitCanSignOut() async throws {
        let (server, ada) = try await busyUser()
        let path = "/v1/auth/sessions/current"
        #expect(try await server.send("GET", "/v1/me", token: ada.token).status == 429)
        #expect(try await server.send("DELETE", path, token: ada.token).status == 204)
        #expect(try await server.send("GET", "/v1/me", token: ada.token).status == 401)
    }

    @Test func sessionThatFloodedSignsOutLater() async throws {
        let (server, ada) = try await busyUser()
        let path = "/v1/auth/sessions"
        for _ in 0..<3 {
            #expect(try await server.send("GET", path, token: ada.token).status == 200)
        }
        #expect(try await server.send("DELETE", "\(path)/current", token: ada.token).status == 429)
    }

    @Test func alertOverTheLimitNeedsASessionAndASmallBody() async throws {
        let (server, ada) = try await busyAddress()
        let long = Content.json("{\(String(repeating: " ", count: 1_000))}")
        #expect(try await callForHelp(server, ada.token, 1, long).status == 429)
        let piecemeal = Content(type: "application/json", bytes: Data("{}".utf8), isChunked: true)
        #expect(try await callForHelp(server, ada.token, 1, piecemeal).status == 429)
        let invented = String(repeating: "A", count: 43)
        #expect(try await callForHelp(server, invented).status == 401)
        let end = "/v1/alerts/\(id(1) as AlertID)/end"
        #expect(try await server.send("POST", end, token: ada.token).status == 429)
    }
}
