import ClientsLive
import Domain
import Features
import Foundation
import TestApp
import Testing

/// A server has thousands of these clients and stops each of them every day. So a stopped client
/// must be released.
@Suite(.timeLimit(.minutes(5))) struct ForgettingTests {
    @Test func stoppedClientsAreReleased() async throws {
        let both = try await AnaAndBen()
        weak var clients: LiveClients?
        weak var user: TestUser?
        do {
            let tablet = TestUser("Ana's tablet", in: both.app)
            try await tablet.signIn("+15550100001", in: both.app)
            try await tablet.arrive()
            try await tablet.contact("Ben")
            (clients, user) = (tablet.clients, tablet)
            await tablet.clients.stop()
        }
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end, clients != nil || user != nil { await Task.yield() }
        #expect(user == nil)
        #expect(clients == nil)
    }
}
