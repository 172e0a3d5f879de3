import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

extension PingFeatureTests {
    @Test func historyLoadsInPages() async {
        let older = Fixture.ping(
            12, from: Fixture.ana, to: Fixture.ben, at: Fixture.now.adding(.zero - .days(2)),
            state: .answered)
        let gate = Gate<ListPage<PingRecord>>()
        let asked = LockIsolated<[String?]>([])
        let store = store {
            $0.pingClient.history = { page in
                asked.withValue { $0.append(page) }
                return try await gate.wait()
            }
        }
        await store.send(.loadMorePingHistory)
        await store.send(.loadPingHistory) { $0.isLoading = true }
        gate.open(ListPage(items: [mine], next: "2"))
        await store.receive(.pingHistoryResponse(.success(ListPage(items: [mine], next: "2")))) {
            $0.isLoading = false
            $0.nextPage = "2"
            $0.pingHistory = [mine]
            $0.pendingPings = [mine]
        }
        await store.send(.loadMorePingHistory) {
            $0.isLoading = true
            $0.isLoadingMore = true
        }
        await store.send(.loadMorePingHistory)
        gate.open(ListPage(items: [older]))
        await store.receive(.pingHistoryResponse(.success(ListPage(items: [older])))) {
            $0.isLoading = false
            $0.isLoadingMore = false
            $0.nextPage = nil
            $0.pingHistory = [mine, older]
        }
        await store.send(.loadMorePingHistory)
        #expect(asked.value == [nil, "2"])
    }

    @Test func failedHistoryShowsAnError() async {
        let store = store { $0.pingClient.history = { _ in throw UserFacingError.unavailable } }
        await store.send(.loadPingHistory) { $0.isLoading = true }
        await store.receive(.pingHistoryResponse(.failure(.unavailable))) {
            $0.isLoading = false
            $0.error = .unavailable
        }
        await store.receive(.delegate(.failed(.unavailable)))
    }

    @Test func leavingCancelsTheHistory() async {
        let gate = Gate<ListPage<PingRecord>>()
        let store = store { $0.pingClient.history = { _ in try await gate.wait() } }
        await store.send(.loadPingHistory) { $0.isLoading = true }
        await store.send(.stopStream) { $0.isLoading = false }
        gate.open(ListPage(items: [mine]))
        await store.finish()
    }
}
