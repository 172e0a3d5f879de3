import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

extension PingFeatureTests {
    @Test func answersOnePing() async {
        let store = store(.init(pendingPings: [mine, theirs], pingHistory: [mine, theirs])) {
            $0.pingClient.respondToPing = { _ in }
        }
        await store.send(.respondToPing(Fixture.cleo)) { $0.inFlight = [.respond(Fixture.cleo)] }
        await store.receive(.delegate(.began))
        await store.receive(.respondToPingSucceeded(Fixture.cleo)) {
            $0.pendingPings = [mine]
            $0.pingHistory = [self.settled(theirs, .answered), mine]
        }
        await store.receive(.delegate(.responded(Fixture.cleo)))
        await store.receive(.operationEnded(.respond(Fixture.cleo))) { $0.inFlight = [] }
    }

    @Test func failedAnswerShowsAnError() async {
        let store = store { $0.pingClient.respondToPing = { _ in throw Fixture.notFound } }
        await store.send(.respondToPing(Fixture.cleo)) { $0.inFlight = [.respond(Fixture.cleo)] }
        await store.receive(.delegate(.began))
        await store.receive(.respondToPingFailed(Fixture.notFound)) { $0.error = Fixture.notFound }
        await store.receive(.delegate(.failed(Fixture.notFound)))
        await store.receive(.operationEnded(.respond(Fixture.cleo))) { $0.inFlight = [] }
    }

    @Test func repeatedTapsAnswerAllOnce() async {
        let gate = Gate<Bool>()
        let store = store { $0.pingClient.respondToAllPings = { _ = try await gate.wait() } }
        await store.send(.respondToAllPings) { $0.inFlight = [.respondToAll] }
        await store.receive(.delegate(.began))
        await store.send(.respondToAllPings)
        await store.send(.respondToPing(Fixture.cleo))
        gate.open(true)
        await store.receive(.respondToAllPingsSucceeded([]))
        await store.receive(.delegate(.respondedToAll([])))
        await store.receive(.operationEnded(.respondToAll)) { $0.inFlight = [] }
        #expect(gate.calls.value == 1)
    }

    @Test func failedAnswerToAllShowsAnError() async {
        let store = store {
            $0.pingClient.respondToAllPings = { throw UserFacingError.unavailable }
        }
        await store.send(.respondToAllPings) { $0.inFlight = [.respondToAll] }
        await store.receive(.delegate(.began))
        await store.receive(.respondToAllPingsFailed(.unavailable)) { $0.error = .unavailable }
        await store.receive(.delegate(.failed(.unavailable)))
        await store.receive(.operationEnded(.respondToAll)) { $0.inFlight = [] }
    }
}
