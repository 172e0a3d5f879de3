import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

@MainActor @Suite struct PingFeatureTests {
    let mine = Fixture.ping(10, from: Fixture.ana, to: Fixture.ben)
    let theirs = Fixture.ping(11, from: Fixture.cleo, to: Fixture.ana)

    func store(
        _ state: PingFeature.State = .init(), prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<PingFeature> {
        TestStore(initialState: state) {
            PingFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
            prepare(&$0)
        }
    }

    func settled(_ ping: PingRecord, _ end: PingRecord.State) -> PingRecord {
        var ping = ping
        (ping.state, ping.settledAt) = (end, Fixture.now)
        return ping
    }

    @Test func pingIsSentAndPending() async {
        let asked = LockIsolated<[UserID]>([])
        let store = store {
            $0.pingClient.pingDependent = { [mine] id in
                asked.withValue { $0.append(id) }
                return .confirmed(mine)
            }
        }
        await store.send(.pingDependent(Fixture.ben)) { $0.inFlight = [.ping(Fixture.ben)] }
        await store.receive(.delegate(.began))
        await store.receive(.pingRecorded(mine)) {
            $0.pendingPings = [mine]
            $0.pingHistory = [mine]
        }
        await store.receive(.delegate(.pinged(mine)))
        await store.receive(.pingDependentSucceeded(Fixture.ben))
        await store.receive(.operationEnded(.ping(Fixture.ben))) { $0.inFlight = [] }
        #expect(asked.value == [Fixture.ben])
        #expect(store.state.pendingPing(to: Fixture.ben) == mine)
        #expect(store.state.pendingPing(from: Fixture.ben) == nil)
    }

    @Test func secondPingInFlightIsIgnored() async {
        let gate = Gate<Submission<PingRecord>>()
        let store = store { $0.pingClient.pingDependent = { _ in try await gate.wait() } }
        await store.send(.pingDependent(Fixture.ben)) { $0.inFlight = [.ping(Fixture.ben)] }
        await store.receive(.delegate(.began))
        await store.send(.pingDependent(Fixture.ben))
        gate.fail(.unavailable)
        await store.receive(.pingDependentFailed(.unavailable)) { $0.error = .unavailable }
        await store.receive(.delegate(.failed(.unavailable)))
        await store.receive(.operationEnded(.ping(Fixture.ben))) { $0.inFlight = [] }
        #expect(gate.calls.value == 1)
    }

    @Test func twoPeopleCanBePingedAtOnce() async {
        let gate = Gate<Submission<PingRecord>>()
        let store = store { $0.pingClient.pingDependent = { _ in try await gate.wait() } }
        await store.send(.pingDependent(Fixture.ben)) { $0.inFlight = [.ping(Fixture.ben)] }
        await store.receive(.delegate(.began))
        await store.send(.pingDependent(Fixture.cleo)) {
            $0.inFlight = [.ping(Fixture.ben), .ping(Fixture.cleo)]
        }
        await store.receive(.delegate(.began))
        await store.skipInFlightEffects()
    }

    @Test func refusedPingShowsAnErrorUntilTheNextTry() async {
        let store = store {
            $0.pingClient.pingDependent = { _ in
                throw CommandError.permissionDenied("Only a responder can ping.")
            }
        }
        let words = UserFacingError(.permissionDenied("Only a responder can ping."))
        await store.send(.pingDependent(Fixture.ben)) { $0.inFlight = [.ping(Fixture.ben)] }
        await store.receive(.delegate(.began))
        await store.receive(.pingDependentFailed(words)) { $0.error = words }
        await store.receive(.delegate(.failed(words)))
        await store.receive(.operationEnded(.ping(Fixture.ben))) { $0.inFlight = [] }
        store.dependencies.pingClient.clearPing = { _ in }
        await store.send(.clearPing(Fixture.ben)) {
            $0.error = nil
            $0.inFlight = [.clear(Fixture.ben)]
        }
        await store.receive(.delegate(.began))
        await store.receive(.clearPingSucceeded(Fixture.ben))
        await store.receive(.delegate(.cleared(Fixture.ben)))
        await store.receive(.operationEnded(.clear(Fixture.ben))) { $0.inFlight = [] }
    }

    @Test func queuedPingShowsAsUnsentUntilSent() async {
        let (status, connection) = AsyncStream<Connectivity>.makeStream()
        let store = store {
            $0.pingClient.pingDependent = { _ in .waiting }
            $0.connectivityClient.status = { status }
        }
        await store.send(.pingDependent(Fixture.ben)) { $0.inFlight = [.ping(Fixture.ben)] }
        await store.receive(.delegate(.began))
        await store.receive(.pingDependentWaiting(Fixture.ben)) {
            $0.waitingToBeSent = [Fixture.ben]
        }
        await store.receive(.operationEnded(.ping(Fixture.ben))) { $0.inFlight = [] }
        #expect(store.state.isWaitingToBeSent(Fixture.ben))
        let waiting = Connectivity(isOnline: false, waiting: [.ping(Fixture.ben)])
        connection.yield(waiting)
        await store.receive(.connectivityChanged(waiting))
        let sent = Connectivity(
            waiting: [WaitingAction(id: UUID(), kind: .checkIn, createdAt: Fixture.now)])
        connection.yield(sent)
        await store.receive(.connectivityChanged(sent)) { $0.waitingToBeSent = [] }
        await store.send(.stopStream)
    }

    @Test func unsentPingStaysUnsentInTheList() async {
        let store = store {
            $0.pingClient.pingDependent = { _ in .waiting }
            $0.connectivityClient.status = { .never }
        }
        store.exhaustivity = .off
        await store.send(.pingDependent(Fixture.ben))
        await store.receive(.pingDependentWaiting(Fixture.ben))
        // The list on this device shows a queued ping as pending.
        await store.send(.pingsUpdated([mine]))
        #expect(store.state.isWaitingToBeSent(Fixture.ben))
        await store.send(.pingDependent(Fixture.cleo))
        await store.receive(.pingDependentWaiting(Fixture.cleo))
        #expect(store.state.waitingToBeSent == [Fixture.ben, Fixture.cleo])
        await store.send(.stopStream)
        await store.finish()
    }

    @Test func openedTabShowsQueuedPings() async {
        let store = store {
            $0.pingClient.pingsStream = { [mine] in AsyncStream { $0.yield([mine]) } }
            $0.connectivityClient.status = {
                AsyncStream {
                    $0.yield(Connectivity(isOnline: false, waiting: [.ping(Fixture.ben)]))
                }
            }
        }
        store.exhaustivity = .off
        await store.send(.startStream)
        await store.receive(\.connectivityChanged)
        await store.skipReceivedActions(strict: false)
        #expect(store.state.isWaitingToBeSent(Fixture.ben))
        await store.send(.stopStream)
    }

    @Test func clearedPingIsNotPending() async {
        let store = store(.init(pendingPings: [mine], pingHistory: [mine])) {
            $0.pingClient.clearPing = { _ in }
        }
        await store.send(.clearPing(Fixture.ben)) { $0.inFlight = [.clear(Fixture.ben)] }
        await store.receive(.delegate(.began))
        await store.receive(.clearPingSucceeded(Fixture.ben)) {
            $0.pendingPings = []
            $0.pingHistory = [self.settled(mine, .cleared)]
        }
        await store.receive(.delegate(.cleared(Fixture.ben)))
        await store.receive(.operationEnded(.clear(Fixture.ben))) { $0.inFlight = [] }
    }

    @Test func failedClearKeepsThePing() async {
        let store = store(.init(pendingPings: [mine], pingHistory: [mine])) {
            $0.pingClient.clearPing = { _ in throw UserFacingError.unavailable }
        }
        await store.send(.clearPing(Fixture.ben)) { $0.inFlight = [.clear(Fixture.ben)] }
        await store.receive(.delegate(.began))
        await store.receive(.clearPingFailed(.unavailable)) { $0.error = .unavailable }
        await store.receive(.delegate(.failed(.unavailable)))
        await store.receive(.operationEnded(.clear(Fixture.ben))) { $0.inFlight = [] }
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func selectedPingFollowsTheStream() async {
        let (stream, continuation) = AsyncStream<[PingRecord]>.makeStream()
        let store = store {
            $0.pingClient.pingsStream = { stream }
            $0.connectivityClient.status = { .finished }
        }
        await store.send(.startStream)
        continuation.yield([theirs, mine])
        await store.receive(.pingsUpdated([theirs, mine])) {
            $0.pendingPings = [theirs, mine]
            $0.pingHistory = [theirs, mine]
        }
        await store.send(.selectPing(mine)) { $0.selectedPing = mine }
        let answered = settled(mine, .answered)
        continuation.yield([theirs, answered])
        await store.receive(.pingsUpdated([theirs, answered])) {
            $0.pendingPings = [theirs]
            $0.pingHistory = [theirs, answered]
            $0.selectedPing = answered
        }
        await store.send(.selectPing(nil)) { $0.selectedPing = nil }
        await store.send(.stopStream)
        continuation.yield([])
        await store.finish()
    }

    @Test(arguments: [(Duration.hours(24), 0), (.hours(24) - .milliseconds(1), 1)])
    func expiredPingIsNotPending(age: Duration, count: Int) async {
        let old = Fixture.ping(
            12, from: Fixture.ana, to: Fixture.ben, at: Fixture.now.adding(.zero - age))
        let store = store()
        await store.send(.pingsUpdated([old])) {
            $0.pingHistory = [old]
            $0.pendingPings = count == 1 ? [old] : []
        }
    }

    @Test(arguments: [(Duration.hours(24), 0), (.hours(24) - .milliseconds(1), 1)])
    func pingExpiresByTheServersClock(age: Duration, count: Int) async {
        let old = Fixture.ping(
            12, from: Fixture.ana, to: Fixture.ben, at: Fixture.now.adding(.zero - age))
        let store = store {
            $0.date = .constant(Fixture.now.adding(.hours(9)))
            $0.serverClock.offset = { .hours(-9) }
        }
        await store.send(.pingsUpdated([old])) {
            $0.pingHistory = [old]
            $0.pendingPings = count == 1 ? [old] : []
        }
    }
}
