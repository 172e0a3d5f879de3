import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

extension OpeningTests {
    @Test(arguments: [
        NotificationSubject.person(Fixture.ben), .ping(Fixture.id(60), user: Fixture.ben),
    ])
    func notificationBeforeTheListOpensWithIt(subject: NotificationSubject) async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let store = store { _ in }
        store.exhaustivity = .off
        await store.send(.opened(subject))
        #expect(store.state.selectedTab == .home)
        await store.send(.responders(.contacts(.contactsUpdated([ben]))))
        await store.receive(.dependents(.selectContact(ben)))
        #expect(store.state.selectedTab == .dependents)
        #expect(
            store.state.dependents.contactDetails == .init(contact: ben, isSheetPresented: true))
        // The sheet opens only once. The next change of the list opens nothing.
        await store.send(.tabSelected(.home))
        await store.send(.responders(.contacts(.contactsUpdated([]))))
        await store.skipReceivedActions(strict: false)
        #expect(store.state.selectedTab == .home)
    }

    @Test func changingTabsCancelsTheOpening() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let store = store { _ in }
        store.exhaustivity = .off
        await store.send(.opened(.person(Fixture.ben)))
        await store.send(.tabSelected(.profile))
        await store.send(.responders(.contacts(.contactsUpdated([ben]))))
        await store.skipReceivedActions(strict: false)
        #expect(store.state.selectedTab == .profile)
    }

    @Test func openedAlertGetsNameAndNumberFromTheList() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let alert = alert(of: Fixture.ben)
        let store = store { $0.alertClient.alert = { _ in alert } }
        store.exhaustivity = .off
        await store.send(.opened(.alert(alertID, user: Fixture.ben)))
        await store.receive(\.openedAlertResponse)
        #expect(store.state.dependentAlert?.callURL == nil)
        await store.send(.responders(.contacts(.contactsUpdated([ben]))))
        await store.receive(.dependentAlert(.presented(.setDependent(ben))))
        #expect(
            store.state.dependentAlert?.displayName == "Ben"
                && store.state.dependentAlert?.callURL != nil)
        await store.send(\.dependentAlert.dismiss)
    }

    @Test func offlineAlertOpensTheContactOnceKnown() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let store = store { $0.alertClient.alert = { _ in throw UserFacingError.unavailable } }
        store.exhaustivity = .off
        await store.send(.opened(.alert(alertID, user: Fixture.ben)))
        await store.receive(\.openedAlertResponse)
        await store.send(.responders(.contacts(.contactsUpdated([ben]))))
        await store.receive(.dependents(.selectContact(ben)))
        #expect(store.state.error == .unavailable)
    }

    @Test func tapInTheCentreClosesItAndOpens() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let store = try await store(contacts: [ben]) { _ in }
        await store.send(.notificationCentreButtonTapped)
        await store.send(.notifications(.delegate(.opened(.person(Fixture.ben)))))
        await store.receive(.dependents(.selectContact(ben)))
        #expect(!store.state.isNotificationCentrePresented)
    }
}
