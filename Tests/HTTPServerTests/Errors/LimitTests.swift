import API
import Domain
import Foundation
import Testing

@testable import HTTPServer

@Suite struct RateLimiterTests {
    private let clock = TestClock()

    private func limiter(perMinute: Int) -> RateLimiter<String> {
        RateLimiter(perMinute: perMinute, now: { [clock] in clock.instant() })
    }

    private func wait(_ limiter: RateLimiter<String>, _ key: String = "a") -> Duration? {
        do throws(CommandError) {
            try limiter.take(key)
            return nil
        } catch {
            guard case .rateLimited(let wait) = error else { return nil }
            return wait
        }
    }

    @Test func burstIsHalfTheLimitThenRefillsEvenly() {
        let limiter = limiter(perMinute: 60)
        for _ in 0..<30 { #expect(wait(limiter) == nil) }
        #expect(wait(limiter) == .seconds(1))
        clock.advance(by: .milliseconds(400))
        let rest = wait(limiter).map { $0 / .seconds(1) } ?? 0
        #expect(abs(rest - 0.6) < 0.001)
        clock.advance(by: .milliseconds(601))
        #expect(wait(limiter) == nil)
        #expect(wait(limiter) != nil)
    }

    @Test func retryAfterTheGivenTimeSucceeds() throws {
        let limiter = limiter(perMinute: 7)
        for _ in 0..<200 {
            if let wait = wait(limiter) {
                clock.advance(by: wait + .nanoseconds(100))
                #expect(self.wait(limiter) == nil)
            }
        }
    }

    @Test func givenBurstIsAllowed() {
        let limiter = RateLimiter<String>(
            perMinute: 10, burst: 10, now: { [clock] in clock.instant() })
        for _ in 0..<10 { #expect(wait(limiter) == nil) }
        #expect(wait(limiter) == .seconds(6))
    }

    @Test func dailyLimitAllowsItsWholeBurst() {
        let limiter = RateLimiter<String>(perDay: 3, now: { [clock] in clock.instant() })
        for _ in 0..<3 { #expect(wait(limiter) == nil) }
        #expect(wait(limiter) != nil)
        clock.advance(by: .hours(8) + .seconds(1))
        #expect(wait(limiter) == nil)
        #expect(wait(limiter) != nil)
    }

    @Test func keysHaveSeparateBuckets() {
        let limiter = limiter(perMinute: 2)
        #expect(wait(limiter, "a") == nil)
        #expect(wait(limiter, "a") != nil)
        #expect(wait(limiter, "b") == nil)
    }

    @Test func bucketHoldsAtMostTheBurst() {
        let limiter = limiter(perMinute: 4)
        clock.advance(by: .hours(24))
        #expect([wait(limiter), wait(limiter)] == [nil, nil])
        #expect(wait(limiter) != nil)
    }

    @Test func zeroMeansNoLimit() {
        let limiter = limiter(perMinute: 0)
        for _ in 0..<10_000 { #expect(wait(limiter) == nil) }
    }

    @Test func sweepRemovesOnlyFullBuckets() {
        let limiter = limiter(perMinute: 2)
        #expect(wait(limiter, "early") == nil)
        for number in 0...50_001 { _ = wait(limiter, "\(number)") }
        #expect(wait(limiter, "early") != nil)
        clock.advance(by: .minutes(1))
        #expect(wait(limiter, "early") == nil)
        #expect(wait(limiter, "7") == nil)
    }
}

@Suite struct LimitTests {
    @Test func userLimitCoversAllSessions() async throws {
        let server = try TestServer { $0.configuration.requestsPerUser = 10 }
        let ada = try await server.person("Ada", number: "+4915100000001")
        let ben = try await server.person("Ben", number: "+4915100000002")
        let again = try await server.signIn("+4915100000001")
        for _ in 0..<4 {
            #expect(try await server.send("GET", "/v1/me", token: ada.token).status == 200)
        }
        let answer = try await server.send("GET", "/v1/me", token: again.token)
        #expect(answer.status == 429)
        #expect(Int(answer.header("Retry-After") ?? "").map { (1...6).contains($0) } == true)
        #expect(answer.problemViolations() == [])
        #expect(try await server.send("GET", "/v1/me", token: ben.token).status == 200)
    }

    @Test func addressLimitCoversAllPaths() async throws {
        let server = try TestServer { $0.configuration.requestsPerAddress = 2 }
        #expect(try await server.send("GET", "/nowhere", from: "192.0.2.7").status == 404)
        let answer = try await server.send("GET", "/health/live", from: "192.0.2.7")
        #expect(answer.status == 429)
        #expect(
            answer.header("Retry-After") != nil
                && answer.header("X-Content-Type-Options") == "nosniff")
        #expect(try await server.send("GET", "/health/live", from: "192.0.2.8").status == 200)
    }

    @Test(arguments: [true, false]) func forwardedAddressNeedsATrustedProxy(isTrusted: Bool)
        async throws
    {
        let server = try TestServer {
            $0.configuration.requestsPerAddress = 2
            if isTrusted { $0.configuration.proxies = TrustedProxies(peers: .all, hops: 1) }
        }
        func status(_ forwarded: String) async throws -> Int {
            try await server.send(
                "GET", "/health/live", headers: ["X-Forwarded-For": forwarded], from: "192.0.2.1"
            ).status
        }
        #expect(try await status("198.51.100.1") == 200)
        #expect(try await status("198.51.100.2") == (isTrusted ? 200 : 429))
        // Only the last entry comes from the proxy. The client can invent the others.
        #expect(try await status("203.0.113.9, 198.51.100.1") == 429)
    }

    /// Behind a proxy that encrypts again, `--trusted-proxies` names it.
    @Test func trustInAllPeersIsExposedByOwnTLS() {
        let all = TrustedProxies(peers: .all, hops: 1)
        #expect(all.exposure(servesTLS: true)?.contains("trusts X-Forwarded-For of") == true)
        #expect(all.exposure(servesTLS: false) == nil)
        let ranges = ["10.0.0.0/8"].compactMap(AddressRange.init)
        let named = TrustedProxies(peers: .networks(ranges), hops: nil)
        #expect(named.exposure(servesTLS: true) == nil)
        #expect(TrustedProxies.none.exposure(servesTLS: true) == nil)
    }

    @Test func onlyEntriesOfOwnProxiesCount() async throws {
        let server = try TestServer {
            $0.configuration.requestsPerAddress = 1
            $0.configuration.proxies = TrustedProxies(peers: .all, hops: 2)
        }
        func status(_ forwarded: String) async throws -> Int {
            try await server.send(
                "GET", "/health/live", headers: ["X-Forwarded-For": forwarded], from: "192.0.2.1"
            ).status
        }
        #expect(try await status("203.0.113.9, 198.51.100.1, 10.0.0.1") == 200)
        #expect(try await status("203.0.113.8, 198.51.100.1, 10.0.0.2") == 429)
        // There are two proxies but only one entry, so the client may have invented it.
        #expect(try await status("203.0.113.1") == 200)
        #expect(try await status("203.0.113.2") == 429)
    }

    @Test(arguments: [
        ("10.0.0.1", true), ("10.255.255.255", true), ("11.0.0.0", false), ("9.255.255.255", false),
        ("2001:db8::1", true), ("2001:db9::", false),
    ])
    func onlyKnownNetworksForward(peer: String, isTrusted: Bool) async throws {
        let ranges = ["10.0.0.0/8", "2001:db8::/32"].compactMap(AddressRange.init)
        let server = try TestServer {
            $0.configuration.requestsPerAddress = 1
            $0.configuration.proxies = TrustedProxies(peers: .networks(ranges), hops: nil)
        }
        func status(_ forwarded: String) async throws -> Int {
            try await server.send(
                "GET", "/health/live", headers: ["X-Forwarded-For": forwarded], from: peer
            ).status
        }
        #expect(try await status("198.51.100.1") == 200)
        #expect(try await status("198.51.100.2") == (isTrusted ? 200 : 429))
        // A second known proxy is no client, and earlier entries are the client's invention.
        #expect(try await status("203.0.113.9, 198.51.100.1, 10.0.0.7") == 429)
    }

    @Test func limitChangesWhileTheServerRuns() async throws {
        let limits = LiveLimits(perUser: 0, perAddress: 2)
        let server = try TestServer { $0.configuration.limits = limits }
        func status() async throws -> Int { try await server.send("GET", "/health/live").status }
        #expect(try await status() == 200)
        #expect(try await status() == 429)
        limits.set(perUser: 0, perAddress: 0)
        #expect(try await status() == 200)
        limits.set(perUser: 0, perAddress: 2)
        #expect(try await status() == 429)
    }

    @Test func ownPortTakesHealthFromThePublicOne() async throws {
        let server = try TestServer { $0.configuration.internalPort = 9 }
        for path in ["/health/live", "/health/ready", "/metrics"] {
            #expect(try await server.send("GET", path).status == 404, "\(path)")
        }
        #expect(try await server.send("GET", "/robots.txt").status == 200)
    }

    @Test func namedHeaderReplacesForwardedFor() async throws {
        let header = try #require(TrustedProxies.header("X-Real-IP"))
        let server = try TestServer {
            $0.configuration.requestsPerAddress = 1
            $0.configuration.proxies = TrustedProxies(peers: .all, hops: 1, header: header)
        }
        for (client, expected) in [("1", 200), ("2", 200), ("1", 429)] {
            let answer = try await server.send(
                "GET", "/health/live",
                headers: ["X-Real-IP": "198.51.100.\(client)", "X-Forwarded-For": "203.0.113.1"],
                from: "192.0.2.1")
            #expect(answer.status == expected)
        }
    }

    @Test func codesPerNumberAreLimitedWithRetryAfter() async throws {
        let server = try TestServer { $0.codesPerNumber = 2 }
        let content = Content.json(#"{"phoneNumber":"+4915100000001"}"#)
        #expect(try await server.send("POST", "/v1/auth/codes", content).status == 202)
        server.clock.advance(by: .minutes(10))
        #expect(try await server.send("POST", "/v1/auth/codes", content).status == 202)
        let answer = try await server.send("POST", "/v1/auth/codes", content)
        #expect(answer.status == 429)
        #expect(answer.header("Retry-After") == "3000")
        server.clock.advance(by: .seconds(3_000))
        #expect(try await server.send("POST", "/v1/auth/codes", content).status == 202)
    }
}
