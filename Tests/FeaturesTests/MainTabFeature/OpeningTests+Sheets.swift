import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// An iPhone shows only one sheet at a time, so opening a notification dismisses the open sheet.
extension OpeningTests {
    typealias Opener = @Sendable (inout MainTabFeature.State) -> Void

    nonisolated static let sheets: [Opener] = [
        { $0.isNotificationCentrePresented = true },
        { $0.home.qrCode = .init(qrCodeID: "code") },
        { $0.home.checkIn.scheduleSheet = .ofNewUser },
        { $0.home.checkIn.pause.sheet = .init(openedAt: Fixture.now, end: nil) },
        {
            $0.home.journey.form = .init(
                id: Fixture.id(70), expectedReturn: .init(openedAt: Fixture.now))
        },
        { $0.home.journey.laterReturn = .init(openedAt: Fixture.now) },
        { $0.responders.qrScanner.isSheetPresented = true },
        { $0.responders.addContact.isSheetPresented = true },
        { $0.responders.contactDetails.isSheetPresented = true },
        {
            $0.dependents.qrScanner.isSheetPresented = true
            $0.dependents.qrScanner.isTorchOn = true
        },
        { $0.dependents.addContact.isSheetPresented = true },
        {
            $0.dependents.addContact.isSheetPresented = true
            $0.dependents.addContact.isAdding = true
        },
        { $0.dependents.contactDetails.isSheetPresented = true },
        { $0.dependents.dependentAlert = .init(ownID: Fixture.ana) },
        { $0.profile.isEditing = true },
        { $0.profile.qrCode = .init(qrCodeID: "code") },
        { $0.profile.destination = .emailAddress(.init()) },
    ]

    @Test(arguments: sheets) func openedAlertDismissesTheOpenSheet(open: Opener) async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        var state = MainTabFeature.State(userID: Fixture.ana)
        state.responders.contacts.contacts = [ben]
        let bare = state
        open(&state)
        #expect(state != bare)
        let store = TestStore(initialState: state) { MainTabFeature() }
        store.exhaustivity = .off
        await store.send(.opened(.alert(alertID, user: Fixture.ben)))
        await store.skipReceivedActions(strict: false)
        #expect(store.state.dependentAlert?.alertID == alertID)
        var expected = bare
        expected.selectedTab = .dependents
        expected.dependentAlert = store.state.dependentAlert
        #expect(store.state == expected)
        await store.send(\.dependentAlert.dismiss)
    }

    @Test(arguments: sheets) func openedHomeDismissesTheOpenSheet(open: Opener) async {
        var state = MainTabFeature.State(userID: Fixture.ana, selectedTab: .profile)
        var expected = state
        open(&state)
        let store = TestStore(initialState: state) { MainTabFeature() }
        store.exhaustivity = .off
        await store.send(.opened(.home))
        await store.skipReceivedActions(strict: false)
        expected.selectedTab = .home
        #expect(store.state == expected)
    }

    @Test func openedCentreReplacesTheOpenSheet() async {
        var state = MainTabFeature.State(userID: Fixture.ana, selectedTab: .profile)
        state.profile.isEditing = true
        let store = TestStore(initialState: state) { MainTabFeature() }
        await store.send(.opened(.centre)) {
            $0.profile.isEditing = false
            $0.isNotificationCentrePresented = true
        }
    }

    @Test func ownAlertIsNotHiddenByAnother() async {
        var state = MainTabFeature.State(userID: Fixture.ana, selectedTab: .dependents)
        state.dependentAlert = .init(alertID: Fixture.id(9), ownID: Fixture.ana)
        let store = TestStore(initialState: state) { MainTabFeature() }
        await store.send(.opened(.alert(alertID, user: Fixture.ana))) {
            $0.selectedTab = .home
            $0.dependentAlert = nil
        }
    }

    @Test func tabPutsAwayTheSheetOfAnAlert() async {
        var state = MainTabFeature.State(userID: Fixture.ana, selectedTab: .dependents)
        state.dependentAlert = .init(alertID: alertID, ownID: Fixture.ana)
        let store = TestStore(initialState: state) { MainTabFeature() }
        await store.send(.tabSelected(.home)) {
            $0.selectedTab = .home
            $0.dependentAlert = nil
        }
    }

    @Test func tabPutsAwayTheSheetOfAPersonsCard() async {
        var state = MainTabFeature.State(userID: Fixture.ana, selectedTab: .dependents)
        state.dependents.dependentAlert = .init(alertID: alertID, ownID: Fixture.ana)
        let store = TestStore(initialState: state) { MainTabFeature() }
        await store.send(.tabSelected(.home)) { $0.selectedTab = .home }
        await store.receive(\.dependents.dependentAlert.dismiss) {
            $0.dependents.dependentAlert = nil
        }
    }

    @Test func cardOfAnotherAlertReplacesTheSheet() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: .alertActive)
        var state = MainTabFeature.State(userID: Fixture.ana, selectedTab: .dependents)
        state.dependentAlert = .init(alertID: alertID, ownID: Fixture.ana)
        let store = TestStore(initialState: state) { MainTabFeature() }
        await store.send(.dependents(.alertTapped(ben))) {
            $0.dependentAlert = nil
            $0.dependents.dependentAlert = .init(dependent: ben, isOpeningUntold: true)
        }
    }

    @Test func notificationOfAnotherAlertOpensANewSheet() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let first = DependentAlertFeature.State(alertID: Fixture.id(9), ownID: Fixture.ana)
        var state = MainTabFeature.State(userID: Fixture.ana, selectedTab: .dependents)
        state.responders.contacts.contacts = [ben]
        state.dependentAlert = first
        let store = TestStore(initialState: state) { MainTabFeature() }
        await store.send(.opened(.alert(alertID, user: Fixture.ben))) {
            $0.dependentAlert = .init(
                alertID: alertID, dependent: ben, ownID: Fixture.ana, isOpeningUntold: true,
                replacing: first)
        }
        #expect(store.state.dependentAlert?.id != first.id)
    }

    @Test func sheetOfTheSameAlertStays() async {
        var state = MainTabFeature.State(userID: Fixture.ana)
        state.dependentAlert = .init(alertID: alertID, ownID: Fixture.ana)
        _ = MainTabFeature().putAwaySheets(&state, but: alertID)
        #expect(state.dependentAlert != nil)
        _ = MainTabFeature().putAwaySheets(&state, but: Fixture.id(9))
        #expect(state.dependentAlert == nil)
    }
}
