import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

/// The stream contains a queued ping until the server refuses the ping.
@MainActor @Suite struct RefusedPingTests {
    private func store(_ history: [PingRecord]) -> TestStoreOf<PingFeature> {
        let state = PingFeature.State(
            pendingPings: .init(uniqueElements: history.filter { $0.state == .pending }),
            pingHistory: .init(uniqueElements: history))
        return TestStore(initialState: state) {
            PingFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
        }
    }

    private func ping(_ number: Int, minutesAgo: Int) -> PingRecord {
        var ping = Fixture.ping(UInt8(number), from: Fixture.ana, to: Fixture.ben)
        ping.createdAt = Fixture.now.adding(.minutes(-minutesAgo))
        return ping
    }

    @Test func refusedPingIsNotPending() async {
        let refused = ping(10, minutesAgo: 1)
        let store = store([refused])
        await store.send(.pingsUpdated([])) {
            $0.pingHistory = []
            $0.pendingPings = []
        }
    }

    @Test func olderPageDoesNotBringARefusedPingBack() async {
        let refused = ping(10, minutesAgo: 1)
        let (gate, loads) = (Gate<ListPage<PingRecord>>(), LockIsolated(0))
        let store = store([refused])
        store.dependencies.pingClient.history = { _ in
            let number = loads.withValue { count in
                count += 1
                return count
            }
            return number == 1 ? try await gate.wait() : ListPage(items: [])
        }
        store.exhaustivity = .off
        await store.send(.loadPingHistory)
        await store.send(.pingsUpdated([]))
        gate.open(ListPage(items: [refused]))
        await store.receive(\.pingHistoryResponse)
        await store.finish()
        #expect(store.state.pingHistory.isEmpty)
        #expect(loads.value == 2)
    }

    @Test func changeKeepsTheErrorAndTheLaterPageThatLoads() async {
        let (gate, asked) = (Gate<ListPage<PingRecord>>(), LockIsolated<[String?]>([]))
        let store = store([ping(10, minutesAgo: 1)])
        store.dependencies.pingClient.history = { page in
            asked.withValue { $0.append(page) }
            return asked.value.count == 1
                ? ListPage(items: [], next: "2") : try await gate.wait()
        }
        store.exhaustivity = .off
        await store.send(.loadPingHistory)
        await store.receive(\.pingHistoryResponse)
        await store.send(.loadMorePingHistory)
        await store.send(.clearPingFailed(.unavailable))
        await store.send(.pingsUpdated([]))
        gate.open(ListPage(items: []))
        await store.receive(\.pingHistoryResponse)
        await store.finish()
        #expect(store.state.error == .unavailable)
        #expect(asked.value == [nil, "2"])
    }

    @Test func streamKeepsEarlierPages() async {
        let newest = (0..<Page.standardLimit).map { ping(100 + $0, minutesAgo: $0) }
        let refused = ping(10, minutesAgo: 20)
        let earlier = ping(11, minutesAgo: 600)
        let store = store([refused, earlier])
        await store.send(.pingsUpdated(newest)) {
            $0.pingHistory = .init(uniqueElements: newest + [earlier])
            $0.pendingPings = .init(uniqueElements: newest + [earlier])
        }
    }

    @Test func listBelowOnePageIsComplete() async {
        let newest = (0..<Page.standardLimit - 1).map { ping(100 + $0, minutesAgo: $0) }
        let store = store([ping(11, minutesAgo: 600)])
        await store.send(.pingsUpdated(newest)) {
            $0.pingHistory = .init(uniqueElements: newest)
            $0.pendingPings = .init(uniqueElements: newest)
        }
    }

    @Test func lateAnswerDoesNotReopenThePing() async {
        var answered = ping(10, minutesAgo: 1)
        (answered.state, answered.settledAt) = (.answered, Fixture.now)
        let store = store([answered])
        await store.send(.pingRecorded(ping(10, minutesAgo: 1)))
        await store.receive(\.delegate.pinged)
    }
}
