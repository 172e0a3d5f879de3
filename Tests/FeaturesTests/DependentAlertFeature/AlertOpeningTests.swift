import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Synchronization
import Testing

/// When a responder opens an alert, the server is told once.
@MainActor @Suite struct AlertOpeningTests {
    private func opened(_ state: DependentAlertFeature.State) async throws -> [AlertID] {
        let ben = try Fixture.profile()
        let opened = Mutex<[AlertID]>([])
        let alert = Fixture.alert(20, of: Fixture.ben)
        let store = TestStore(initialState: state) {
            DependentAlertFeature()
        } withDependencies: {
            $0.userClient.profile = { ben }
            $0.alertClient.alert = { _ in alert }
            $0.alertClient.alertsStream = {
                AsyncStream { continuation in
                    continuation.yield([alert])
                    continuation.yield([alert])
                    continuation.finish()
                }
            }
            $0.alertClient.opened = { id in opened.withLock { $0.append(id) } }
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.finish()
        await store.skipReceivedActions(strict: false)
        return opened.withLock { $0 }
    }

    @Test func tapOnANotificationReportsTheOpening() async throws {
        let state = DependentAlertFeature.State(alertID: Fixture.id(20), isOpeningUntold: true)
        #expect(try await opened(state) == [Fixture.id(20)])
    }

    @Test func tapOnAPersonReportsTheOpeningOnceKnown() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: .alertActive)
        let state = DependentAlertFeature.State(dependent: ben, isOpeningUntold: true)
        #expect(try await opened(state) == [Fixture.id(20)])
    }

    @Test func reloadedPageReportsNoOpening() async throws {
        #expect(try await opened(.init(alertID: Fixture.id(20))) == [])
    }
}
