import Domain
import Foundation
import Testing

@testable import SafetyNetwork

extension CodeRequestTests {
    @Test func strangersShare20CodesADayPerNumber() async throws {
        let server = try TestServer()
        _ = try await signIn(server, from: "192.0.2.1", key: key)
        // The owner's device wasn't known when it requested the first code, so that code counts.
        for hour in 0..<4 {
            server.clock.pass(.hours(1))
            for _ in 0..<(hour == 3 ? 4 : 5) {
                #expect(await ask(server, from: "198.51.100.\(hour)") == nil)
            }
        }
        #expect(await ask(server, from: "203.0.113.1")?.retryAfter == .hours(20))
        #expect(await ask(server, from: "192.0.2.1", key: key) == nil)
        #expect(await ask(server, 7, from: "203.0.113.1") == nil)
        server.clock.pass(.hours(20))
        #expect(await ask(server, from: "203.0.113.1") == nil)
    }

    /// Each code costs the operator a text message, but only devices of the account count.
    @Test func knownDevicesShare30CodesADayPerNumber() async throws {
        let server = try TestServer()
        _ = try await signIn(server, from: "192.0.2.1", key: key)
        // An unknown device's codes and refused requests don't count.
        for hour in 0..<6 {
            server.clock.pass(.hours(1))
            #expect(await ask(server, from: "198.51.100.\(hour)") == nil)
            for _ in 0..<5 { #expect(await ask(server, from: "192.0.2.1", key: key) == nil) }
            #expect(await ask(server, from: "192.0.2.1", key: key)?.retryAfter != nil)
        }
        server.clock.pass(.hours(1))
        #expect(await ask(server, from: "192.0.2.1", key: key)?.retryAfter == .hours(18))
        #expect(await ask(server, from: "203.0.113.1") == nil)
        server.clock.pass(.hours(18))
        #expect(await ask(server, from: "192.0.2.1", key: key) == nil)
    }
}
