import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct MainTabTests {
    @Test func startsAtHomeAndChangesTabs() async {
        let store = store { _ in }
        #expect(store.state.selectedTab == .home)
        for tab in [MainTabFeature.Tab.responders, .dependents, .profile, .home] {
            await store.send(.tabSelected(tab)) { $0.selectedTab = tab }
        }
        await store.send(.tabSelected(.home))
    }

    @Test(arguments: [MainTabFeature.Tab.responders, .dependents, .profile])
    func fourTapsRaiseAnAlertOnEachTab(tab: MainTabFeature.Tab) async {
        let store = store {
            $0.alertClient.raise = { _ in .confirmed(Fixture.alert(0)) }
            $0.authClient.session = { nil }
            $0.checkInClient.history = { _ in ListPage(items: []) }
            $0.connectivityClient.status = { .never }
            $0.userClient.profileStream = { .never }
        }
        store.exhaustivity = .off
        await store.send(.home(.onAppear))
        await store.send(.tabSelected(tab))
        await store.send(.home(.onDisappear))
        await store.skipReceivedActions(strict: false)
        for _ in 1...4 { await store.send(.home(.alert(.alertButtonTapped))) }
        await store.receive(\.home.alert.alertActivationResponse.success)
        #expect(store.state.home.alert.isAlertActive)
        await store.skipInFlightEffects(strict: false)
    }

    @Test func chosenTriggerReachesTheAlertButton() async {
        let store = store { $0.settingsClient.setString = { _, _ in } }
        store.exhaustivity = .off
        await store.send(.profile(.settingsButtonTapped))
        await store.send(
            .profile(.destination(.presented(.settings(.alertTriggerChosen(.confirmation))))))
        await store.receive(.home(.alert(.triggerChanged(.confirmation))))
        #expect(store.state.home.alert.trigger == .confirmation)
        await store.skipInFlightEffects(strict: false)
    }

    /// A browser can open another tab by its URL while a sheet is open.
    @Test func openSheetDoesNotCoverATroubledDependent() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        var state = MainTabFeature.State(userID: Fixture.ana)
        state.dependents.contactDetails = .init(contact: ben, isSheetPresented: true)
        state.responders.contactDetails = .init(contact: ben, isSheetPresented: true)
        let store = TestStore(initialState: state) { MainTabFeature() }
        await store.send(.tabSelected(.dependents)) {
            $0.selectedTab = .dependents
            $0.dependents.contactDetails.isSheetPresented = false
            $0.responders.contactDetails.isSheetPresented = false
        }
    }

    @Test func notificationCentreOpensAndCloses() async {
        let store = store { _ in }
        await store.send(.notificationCentreButtonTapped) {
            $0.isNotificationCentrePresented = true
        }
        await store.send(.notificationCentreDismissed) { $0.isNotificationCentrePresented = false }
    }

    @Test func badgesCountWhatWaitsForThePerson() async throws {
        let list = [
            try Fixture.contact(Fixture.ben, "Ben", isResponder: true, hasPendingPing: true),
            try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true, status: .nonResponsive),
        ]
        let store = store { _ in }
        store.exhaustivity = .off
        await store.send(.responders(.contacts(.contactsUpdated(list))))
        await store.skipReceivedActions()
        await store.send(
            .notifications(
                .notificationsUpdated([
                    Fixture.notification(1), Fixture.notification(2, isRead: true),
                ])))
        #expect(MainTabFeature.Tab.allCases.map(store.state.badge(of:)) == [0, 1, 1, 0])
        #expect(store.state.unreadNotificationsCount == 1)
    }

    @Test func homeBadgeCountsRequests() async throws {
        var ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        ben.requests = [RoleRequest(role: .dependent, isMine: false, requestedAt: Fixture.now)]
        var cleo = try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true)
        cleo.requests = [RoleRequest(role: .responder, isMine: true, requestedAt: Fixture.now)]
        let store = store { _ in }
        store.exhaustivity = .off
        await store.send(.responders(.contacts(.contactsUpdated([ben, cleo]))))
        await store.skipReceivedActions()
        #expect(store.state.badge(of: .home) == 1, "one's own requests wait for others")
    }

    @Test func tappingATroubledDependentOpensTheirAlert() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: .alertActive)
        var state = MainTabFeature.State(userID: Fixture.ana, isNotificationCentrePresented: true)
        state.responders.contactDetails = .init(contact: ben, isSheetPresented: true)
        let store = TestStore(initialState: state) { MainTabFeature() }
        await store.send(.alertTapped(ben)) {
            $0.selectedTab = .dependents
            $0.isNotificationCentrePresented = false
            $0.responders.contactDetails.isSheetPresented = false
            $0.dependentAlert = .init(
                dependent: ben, ownID: Fixture.ana, isOpeningUntold: true)
        }
        await store.send(\.dependentAlert.dismiss) { $0.dependentAlert = nil }
    }

    @Test func sheetOfATroubledContactLeadsToTheirAlert() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: .alertActive)
        var state = MainTabFeature.State(userID: Fixture.ana)
        state.dependents.contactDetails = .init(contact: ben, isSheetPresented: true)
        state.responders.contactDetails = state.dependents.contactDetails
        for tab in [MainTabFeature.Tab.dependents, .responders] {
            let store = TestStore(initialState: state) { MainTabFeature() }
            store.exhaustivity = .off
            await store.send(
                tab == .dependents
                    ? .dependents(.contactDetails(.alertButtonTapped))
                    : .responders(.contactDetails(.alertButtonTapped)))
            await store.receive(.alertTapped(ben))
            #expect(!store.state.dependents.contactDetails.isSheetPresented)
            #expect(store.state.dependentAlert?.dependent == ben)
        }
    }

    @Test func reportShowsOnTheCardAndCanBeResumed() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: .alertActive)
        var alert = Fixture.alert(20, of: Fixture.ben)
        alert.report = AlertAction(
            kind: .foundSafe, responderId: "x", name: "Cleo", time: Fixture.now)
        let (resumed, answer) = (LockIsolated<[AlertID]>([]), alert)
        let store = store {
            $0.alertClient.resume = { id in
                resumed.withValue { $0.append(id) }
                return answer
            }
        }
        store.exhaustivity = .off
        await store.send(.alertNews(.alertsUpdated([alert])))
        let notice = try #require(store.state.reportNotice(for: ben))
        #expect(notice.words == "Cleo reports that Ben is safe")
        #expect(notice.end == Fixture.now.adding(.hours(12)))
        await store.send(.alertRequested(notice.request))
        await store.receive(\.alertRequestAnswered)
        await store.send(.dependents(.alertRequested(notice.request)))
        await store.receive(\.dependents.alertRequestAnswered)
        #expect(resumed.value == [Fixture.id(20), Fixture.id(20)])
    }

    // MARK: The user's own alert

    @Test func ownAlertsAreFollowedOnEveryTab() async {
        let alert = Fixture.alert(7)
        let store = store {
            $0.contactClient.contactsStream = { .never }
            $0.notificationClient.notificationStream = { .never }
            $0.authClient.session = { SignedIn(userID: Fixture.ana, isNewUser: false) }
            $0.connectivityClient.status = { .finished }
            $0.alertClient.alertsStream = { AsyncStream { $0.yield([alert]) } }
            $0.pushClient = .unsupported
        }
        store.exhaustivity = .off
        await store.send(.tabSelected(.profile))
        await store.send(.onAppear)
        await store.receive(\.home.alert.alertsUpdated)
        #expect(store.state.home.alert.isAlertActive && store.state.selectedTab == .profile)
        await store.send(.onDisappear)
        await store.receive(\.home.alert.stopStream)
        await store.finish()
    }

    /// Ben ended the relation while a change of his roles was in flight.
    @Test func answerOlderThanTheStreamIsReplaced() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let store = store { $0.contactClient.contactsStream = { AsyncStream { $0.yield([]) } } }
        store.exhaustivity = .off
        await store.send(.dependents(.contacts(.contactUpdated(ben))))
        await store.receive(\.responders.contacts.startStream)
        await store.receive(\.responders.contacts.contactsUpdated)
        await store.skipReceivedActions(strict: false)
        #expect(store.state.responders.contacts.contacts.isEmpty)
        #expect(store.state.dependents.contacts.contacts.isEmpty)
        await store.skipInFlightEffects(strict: false)
    }

    @Test func hasRespondersFollowsTheList() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let store = store { $0.contactClient.contactsStream = { AsyncStream { $0.finish() } } }
        store.exhaustivity = .off
        #expect(store.state.home.alert.hasResponders == nil)
        await store.send(.responders(.contacts(.contactsUpdated([]))))
        #expect(store.state.home.alert.hasResponders == false)
        await store.send(.responders(.contacts(.contactUpdated(ben))))
        await store.skipReceivedActions()
        #expect(store.state.home.alert.hasResponders == true)
        await store.send(.dependents(.contacts(.contactRemoved(Fixture.ben))))
        await store.skipReceivedActions()
        #expect(store.state.home.alert.hasResponders == false)
    }

    @Test func alertLeadsToAddingAResponder() async {
        let store = store { _ in }
        await store.send(.home(.alert(.delegate(.addResponder)))) { $0.selectedTab = .responders }
        await store.receive(.responders(.showQRScanner)) {
            $0.responders.qrScanner.isSheetPresented = true
        }
    }

    /// A contact who was added on this device gets no banner, because the sheet has already
    /// confirmed the addition.
    @Test func bannerShowsOnlyContactsAddedByOthers() async throws {
        let store = store { $0.contactClient.contactsStream = { .never } }
        store.exhaustivity = .off
        let contact = try Fixture.contact(
            Fixture.ben, "Ben", isResponder: true, dateAdded: Fixture.now)
        func note(_ number: UInt8, at time: Date) -> NotificationItem {
            NotificationItem(
                id: Fixture.id(number), type: .contactAdded, title: "Ben", body: "",
                createdAt: time, aboutUserID: Fixture.ben)
        }
        let early = note(1, at: Fixture.now)
        await store.send(.notifications(.notificationsUpdated([early])))
        #expect(store.state.newContact == early)
        await store.send(.responders(.addContact(.delegate(.contactAdded(contact)))))
        #expect(store.state.newContact == nil)
        // The contact was removed on this device, and adds the user a minute later.
        let late = note(2, at: Fixture.now.adding(.minutes(1)))
        await store.send(.notifications(.notificationsUpdated([late, early])))
        #expect(store.state.newContact == late)
        await store.skipInFlightEffects(strict: false)
    }

    @Test func profileTabClosesTheSettings() async {
        let store = store { _ in }
        store.exhaustivity = .off
        await store.send(.profile(.settingsButtonTapped))
        #expect(store.state.profile.settings != nil)
        await store.send(.tabSelected(.home))
        #expect(store.state.profile.settings != nil)
        await store.send(.tabSelected(.profile))
        await store.receive(\.profile.destination.dismiss)
        #expect(store.state.profile.settings == nil)
    }

    // MARK: Leaving

    @Test func profileEventsReachTheParent() async {
        let store = store { _ in }
        let unsent = Fixture.waiting(.raiseAlert)
        await store.send(.profile(.delegate(.signedOut(unsent))))
        await store.receive(.delegate(.signedOut(unsent)))
        await store.send(.profile(.delegate(.accountDeleted)))
        await store.receive(.delegate(.accountDeleted))
    }

    func store(_ dependencies: (inout DependencyValues) -> Void) -> TestStoreOf<
        MainTabFeature
    > {
        TestStore(initialState: MainTabFeature.State(userID: Fixture.ana)) {
            MainTabFeature()
        } withDependencies: {
            $0.uuid = .incrementing
            $0.date.now = Fixture.now
            $0.continuousClock = TestClock()
            $0.alertClient.alertsStream = { .never }
            $0.settingsClient.string = { _ in nil }
            dependencies(&$0)
        }
    }
}
