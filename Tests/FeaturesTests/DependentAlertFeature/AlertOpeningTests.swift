import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Synchronization
import Testing

/// The server learns once that a person has opened an alert.
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

    @Test func aTapOnANotificationOpensItsAlert() async throws {
        let state = DependentAlertFeature.State(alertID: Fixture.id(20), isOpeningUntold: true)
        #expect(try await opened(state) == [Fixture.id(20)])
    }

    @Test func aTapOnAPersonOpensTheirAlertOnceItIsKnown() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: .alertActive)
        let state = DependentAlertFeature.State(dependent: ben, isOpeningUntold: true)
        #expect(try await opened(state) == [Fixture.id(20)])
    }

    @Test func aPageThatLoadsAgainOpensNothing() async throws {
        #expect(try await opened(.init(alertID: Fixture.id(20))) == [])
    }
}
