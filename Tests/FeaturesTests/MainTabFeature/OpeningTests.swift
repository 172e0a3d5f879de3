import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct OpeningTests {
    let alertID: AlertID = Fixture.id(50)

    @Test func ownAlertOpensHome() async {
        let store = store(selected: .profile) { _ in }
        await store.send(.opened(.alert(alertID, user: Fixture.ana))) { $0.selectedTab = .home }
    }

    @Test func acknowledgedOwnAlertOpensHome() async {
        let alert = alert(of: Fixture.ana)
        let store = store(selected: .profile) { $0.alertClient.alert = { _ in alert } }
        await store.send(.opened(.alert(alertID, user: Fixture.ben)))
        await store.receive(.openedAlertResponse(.success(alert), id: alertID, user: Fixture.ben)) {
            $0.selectedTab = .home
        }
    }

    @Test func dependentsAlertOpensEvenOffline() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let store = try await store(contacts: [ben]) { _ in }
        store.exhaustivity = .on
        await store.send(.opened(.alert(alertID, user: Fixture.ben))) {
            $0.selectedTab = .dependents
            $0.dependentAlert = .init(
                alertID: alertID, dependent: ben, ownID: Fixture.ana, isOpeningUntold: true)
        }
        await store.send(\.dependentAlert.dismiss) { $0.dependentAlert = nil }
    }

    @Test func alertOfAMutualContactOpensAsTheirs() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true, isDependent: true)
        let alert = alert(of: Fixture.ben)
        let store = try await store(contacts: [ben]) { $0.alertClient.alert = { _ in alert } }
        await store.send(.opened(.alert(alertID, user: Fixture.ben)))
        await store.receive(\.openedAlertResponse)
        #expect(
            store.state.dependentAlert
                == .init(
                    alertID: alertID, dependent: ben, alert: alert, ownID: Fixture.ana,
                    isOpeningUntold: true))
        await store.send(\.dependentAlert.dismiss)
    }

    @Test func openAlertFollowsTheContactList() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let renamed = try Fixture.contact(Fixture.ben, "Benjamin", isDependent: true)
        let store = try await store(contacts: [ben]) { _ in }
        await store.send(.opened(.alert(alertID, user: Fixture.ben)))
        await store.send(.responders(.contacts(.contactsUpdated([renamed]))))
        await store.receive(.dependentAlert(.presented(.setDependent(renamed))))
        #expect(store.state.dependentAlert?.dependent == renamed)
        await store.send(\.dependentAlert.dismiss)
    }

    @Test func openAlertClosesWithoutItsContact() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let store = try await store(contacts: [ben]) { _ in }
        await store.send(.opened(.alert(alertID, user: Fixture.ben)))
        await store.send(.responders(.contacts(.contactsUpdated([]))))
        await store.receive(.dependentAlert(.presented(.setDependent(nil))))
        await store.receive(\.dependentAlert.dismiss)
        #expect(store.state.dependentAlert == nil)
        #expect(store.state.error == .contactGone("Ben"))
        await store.send(.responders(.contacts(.contactsUpdated([ben]))))
        await store.receive(.responders(.delegate(.contactsChanged([ben]))))
        #expect(store.state.error == nil)
    }

    @Test func offlineMutualContactOpensInsteadOfAnAlert() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true, isDependent: true)
        let store = try await store(contacts: [ben]) {
            $0.alertClient.alert = { _ in throw UserFacingError.unavailable }
        }
        await store.send(.opened(.alert(alertID, user: Fixture.ben)))
        await store.receive(\.openedAlertResponse)
        await store.receive(.dependents(.selectContact(ben)))
        #expect(store.state.selectedTab == .dependents)
        #expect(store.state.dependentAlert == nil)
        #expect(store.state.error == .unavailable)
        await store.send(.dismissError)
        #expect(store.state.error == nil)
    }

    @Test func alertOfAnUnknownPersonShowsAnError() async {
        let store = store { $0.alertClient.alert = { _ in throw Fixture.refused } }
        await store.send(.opened(.alert(alertID, user: nil)))
        await store.receive(.openedAlertResponse(.failure(Fixture.refused), id: alertID, user: nil))
        { $0.error = Fixture.refused }
    }

    @Test func lastTappedNotificationWins() async {
        let second = alert(of: Fixture.ana)
        let first = alertID
        let other: AlertID = Fixture.id(51)
        let store = store(selected: .profile) {
            $0.alertClient.alert = { id in
                if id == first { try await Task.never() }
                return second
            }
        }
        await store.send(.opened(.alert(first, user: Fixture.ben)))
        await store.send(.opened(.alert(other, user: nil)))
        await store.receive(.openedAlertResponse(.success(second), id: other, user: nil)) {
            $0.selectedTab = .home
        }
        await store.finish()
    }

    @Test func codeScannedAnywhereOpensTheSheet() async {
        for scanned in [
            MainTabFeature.Action.home(.delegate(.codeScanned("code"))),
            .profile(.delegate(.codeScanned("code"))),
        ] {
            let store = store(selected: .profile) { _ in }
            store.exhaustivity = .off
            await store.send(scanned)
            await store.receive(.dependents(.codeReceived("code")))
            #expect(store.state.selectedTab == .dependents)
        }
    }

    @Test func linkOpensTheSheetWithItsCode() async {
        let owner = CodeOwner(id: Fixture.ben, name: "Ben")
        let store = store { $0.contactClient.codeOwner = { _ in owner } }
        store.exhaustivity = .off
        let id: QRCodeID = Fixture.id(7)
        let code = id.description
        await store.send(.linkOpened(code: code))
        await store.receive(.dependents(.codeReceived(code)))
        await store.receive(\.dependents.addContact.codeOwnerResponse)
        #expect(store.state.selectedTab == .dependents)
        let sheet = store.state.dependents.addContact
        #expect(sheet.isSheetPresented && sheet.name == "Ben")
        #expect(sheet.isDependent && !sheet.isResponder)
    }

    @Test(
        arguments: [
            (true, false, true, .responders), (true, true, true, .responders),
            (true, true, false, .dependents), (false, true, false, .dependents),
            (true, false, false, .responders),
        ] as [(Bool, Bool, Bool, MainTabFeature.Tab)])
    func pingOpensThePersonInTheRightTab(
        isResponder: Bool, isDependent: Bool, isPending: Bool, tab: MainTabFeature.Tab
    ) async throws {
        let ben = try Fixture.contact(
            Fixture.ben, "Ben", isResponder: isResponder, isDependent: isDependent,
            hasPendingPing: isPending)
        let store = try await store(contacts: [ben]) { _ in }
        await store.send(.opened(.ping(Fixture.id(60), user: Fixture.ben)))
        await store.receive(
            tab == .responders ? .responders(.selectContact(ben)) : .dependents(.selectContact(ben))
        )
        #expect(store.state.selectedTab == tab)
    }

    @Test(
        arguments: [
            (true, false, .responders), (true, true, .dependents), (false, true, .dependents),
        ] as [(Bool, Bool, MainTabFeature.Tab)])
    func personOpensInTheirTab(isResponder: Bool, isDependent: Bool, tab: MainTabFeature.Tab)
        async throws
    {
        let ben = try Fixture.contact(
            Fixture.ben, "Ben", isResponder: isResponder, isDependent: isDependent)
        let store = try await store(contacts: [ben]) { _ in }
        await store.send(.opened(.person(Fixture.ben)))
        await store.receive(
            tab == .responders ? .responders(.selectContact(ben)) : .dependents(.selectContact(ben))
        )
        #expect(store.state.selectedTab == tab)
    }

    @Test func removedContactOpensNothing() async throws {
        let store = try await store(contacts: [
            Fixture.contact(Fixture.cleo, "Cleo", isDependent: true)
        ]) { _ in }
        store.exhaustivity = .on
        await store.send(.opened(.person(Fixture.ben)))
        await store.send(.opened(.ping(Fixture.id(60), user: nil)))
    }

    func alert(of user: UserID) -> AlertRecord {
        AlertRecord(
            id: alertID.description, startTime: Fixture.now, endTime: nil, userId: user.description,
            isActive: true, kind: .manual)
    }

    /// Returns a store with contacts. It isn't exhaustive, because the tabs have their own tests.
    func store(contacts: [ContactData], _ dependencies: (inout DependencyValues) -> Void)
        async throws -> TestStoreOf<MainTabFeature>
    {
        let store = store(dependencies)
        store.exhaustivity = .off
        await store.send(.responders(.contacts(.contactsUpdated(contacts))))
        await store.skipReceivedActions()
        return store
    }

    func store(
        selected: MainTabFeature.Tab = .home, _ dependencies: (inout DependencyValues) -> Void
    ) -> TestStoreOf<MainTabFeature> {
        TestStore(initialState: MainTabFeature.State(userID: Fixture.ana, selectedTab: selected)) {
            MainTabFeature()
        } withDependencies: {
            $0.uuid = .incrementing
            $0.date.now = Fixture.now
            $0.continuousClock = TestClock()
            dependencies(&$0)
        }
    }
}
