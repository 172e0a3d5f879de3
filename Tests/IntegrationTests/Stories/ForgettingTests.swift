import ClientsLive
import Domain
import Features
import Foundation
import Neighbourhood
import Testing

/// A server has thousands of these, and each of them goes to sleep every day.
@Suite(.timeLimit(.minutes(5))) struct ForgettingTests {
    @Test func whatWasStoppedLeavesNothingBehind() async throws {
        let both = try await AnaAndBen()
        weak var clients: LiveClients?
        weak var resident: Resident?
        do {
            let tablet = Resident("Ana's tablet", in: both.town)
            try await tablet.signIn("+15550100001", in: both.town)
            try await tablet.arrive()
            try await tablet.contact("Ben")
            (clients, resident) = (tablet.clients, tablet)
            await tablet.clients.stop()
        }
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end, clients != nil || resident != nil { await Task.yield() }
        #expect(resident == nil)
        #expect(clients == nil)
    }
}
