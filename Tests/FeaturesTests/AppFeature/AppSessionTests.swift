import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct AppSessionTests {
    private let ana = SignedIn(userID: Fixture.ana, isNewUser: false)
    private let newcomer = SignedIn(userID: Fixture.ana, isNewUser: true)

    @Test func signedOutAppStartsAtSignIn() async {
        let store = store { $0.authClient.session = { nil } }
        #expect(store.state.screen == nil)
        await store.send(.appLaunched)
        await store.receive(.sessionRestored(nil)) { $0.screen = .signedOut(.init()) }
        await store.skipInFlightEffects()
    }

    @Test func storedSessionOpensTheTabs() async {
        let store = store { [ana] in $0.authClient.session = { ana } }
        await store.send(.appLaunched)
        await store.receive(.sessionRestored(ana)) {
            $0.signedIn = ana
            $0.screen = .main(.init(userID: Fixture.ana))
        }
        await store.send(.appLaunched)
        await store.send(.sessionRestored(nil))
        await store.skipInFlightEffects()
    }

    @Test func userWhoseSessionIsOverIsSignedOut() async {
        let store = store(AppFeature.State(signedIn: ana)) { _ in }
        await store.send(.sessionRestored(nil)) {
            $0.signedIn = nil
            $0.screen = .signedOut(.init())
        }
    }

    @Test func newUserIsOnboardedFirst() async {
        let store = store(AppFeature.State(screen: .signedOut(.init()))) { _ in }
        await store.send(\.screen.signedOut.delegate.signedIn, newcomer) {
            $0.signedIn = newcomer
            $0.screen = .onboarding(.init())
        }
        await store.send(\.screen.onboarding.delegate.finished, .later) {
            $0.screen = .main(.init(userID: Fixture.ana))
        }
        await store.skipInFlightEffects()
    }

    @Test func onboardingLeadsToTheFirstResponder() async {
        for (choice, action): (OnboardingFeature.FirstResponder, MainTabFeature.Action) in [
            (.showCode, .home(.qrCodeButtonTapped)), (.scanCode, .addResponderRequested),
            (.invite, .inviteRequested),
        ] {
            let store = store(
                AppFeature.State(screen: .onboarding(.init()), signedIn: newcomer)
            ) { $0.uuid = .incrementing }
            store.exhaustivity = .off
            await store.send(\.screen.onboarding.delegate.finished, choice)
            await store.receive(.screen(.presented(.main(action))))
            await store.skipReceivedActions(strict: false)
            let main = store.state.screen?.main
            #expect((main?.home.qrCode != nil) == (choice == .showCode))
            #expect(
                main?.responders.qrScanner.isSheetPresented == (choice == .scanCode)
                    && main?.selectedTab == (choice == .showCode ? .home : .responders))
            #expect(main?.responders.invitations.timesOpened == (choice == .invite ? 1 : 0))
            await store.skipInFlightEffects(strict: false)
        }
    }

    @Test func signOutClearsTheState() async throws {
        var main = MainTabFeature.State(userID: Fixture.ana, selectedTab: .profile)
        main.profile.name = "Ana"
        main.notifications.notifications = [Fixture.notification(1)]
        let full = AppFeature.State(
            screen: .main(main), signedIn: ana,
            connectivity: Connectivity(
                isOnline: true, lastSynced: Fixture.now, waiting: Fixture.waiting(.checkIn)),
            errors: [Fixture.refused], pendingCode: "code", pendingSubject: .person(Fixture.ben))
        let store = store(full) { _ in }
        await store.send(\.screen.main.delegate.signedOut, []) {
            $0 = AppFeature.State(screen: .signedOut(.init()))
        }
        let ben = SignedIn(userID: Fixture.ben, isNewUser: false)
        await store.send(\.screen.signedOut.delegate.signedIn, ben) {
            $0 = AppFeature.State(screen: .main(.init(userID: Fixture.ben)), signedIn: ben)
        }
        await store.skipInFlightEffects()
    }

    @Test func streamsEndWithTheSession() async {
        let (refusals, refuse) = AsyncStream.makeStream(of: RefusedAction.self)
        let (notifications, notify) = AsyncStream.makeStream(of: [NotificationItem].self)
        let store = store(AppFeature.State(screen: .signedOut(.init()))) {
            $0.connectivityClient.refusals = { refusals }
            $0.notificationClient.notificationStream = { notifications }
        }
        await store.send(\.screen.signedOut.delegate.signedIn, ana) {
            $0.signedIn = ana
            $0.screen = .main(.init(userID: Fixture.ana))
        }
        await store.send(.screen(.presented(.main(.notifications(.startStream))))) {
            $0.screen?.modify(\.main) { $0.notifications.isLoading = true }
        }
        notify.yield([Fixture.notification(1)])
        await store.receive(\.screen.main.notifications.notificationsUpdated) {
            $0.screen?.modify(\.main) {
                $0.notifications.isLoading = false
                $0.notifications.notifications = [Fixture.notification(1)]
            }
        }
        await store.send(\.screen.main.delegate.signedOut, []) {
            $0 = AppFeature.State(screen: .signedOut(.init()))
        }
        notify.yield([Fixture.notification(2)])
        refuse.yield(RefusedAction(action: Fixture.waiting(.checkIn)[0], error: Fixture.refused))
        await store.skipInFlightEffects()
    }

    @Test func sessionEndedElsewhereSignsOutWithAMessage() async {
        let (ends, end) = AsyncStream.makeStream(of: [WaitingAction].self)
        let store = store(AppFeature.State(screen: .signedOut(.init()))) {
            $0.authClient.sessionEnded = { ends }
        }
        await store.send(\.screen.signedOut.delegate.signedIn, ana) {
            $0.signedIn = ana
            $0.screen = .main(.init(userID: Fixture.ana))
        }
        end.yield([])
        await store.receive(.sessionEnded([])) {
            $0 = AppFeature.State(screen: .signedOut(.init()), errors: [.sessionEnded])
        }
        await store.send(.dismissError) { $0.errors = [] }
        await store.send(.dismissError)
        // The user is already signed out when the event arrives a second time, so no message is
        // shown.
        await store.send(.sessionEnded([]))
        await store.skipInFlightEffects()
    }

    @Test func sessionEndedWhileOnboardingSignsOut() async {
        let store = store(AppFeature.State(screen: .onboarding(.init()), signedIn: newcomer)) { _ in
        }
        await store.send(.sessionEnded([])) {
            $0 = AppFeature.State(screen: .signedOut(.init()), errors: [.sessionEnded])
        }
        await store.skipInFlightEffects()
    }

    @Test func deletedAccountShowsAMessage() async {
        let store = store(
            AppFeature.State(screen: .main(.init(userID: Fixture.ana)), signedIn: ana)
        ) { _ in }
        await store.send(\.screen.main.delegate.accountDeleted) {
            $0 = AppFeature.State(screen: .signedOut(.init()), errors: [.accountDeleted])
        }
        await store.skipInFlightEffects()
    }

    @Test func signOutFromTheProfileReachesTheApp() async {
        let store = store(
            AppFeature.State(screen: .main(.init(userID: Fixture.ana)), signedIn: ana)
        ) {
            $0.authClient.signOut = { [] }
            $0.signInSecurityClient.security = { SignInSecurity() }
        }
        store.exhaustivity = .off
        await store.send(\.screen.main.profile.signOutButtonTapped)
        await store.send(\.screen.main.profile.confirmSignOut.signOutConfirmed)
        await store.receive(\.screen.main.delegate.signedOut)
        #expect(store.state == AppFeature.State(screen: .signedOut(.init())))
        await store.skipInFlightEffects(strict: false)
    }

    private func store(
        _ state: AppFeature.State = .init(), _ dependencies: (inout DependencyValues) -> Void
    ) -> TestStoreOf<AppFeature> {
        TestStore(initialState: state) {
            AppFeature()
        } withDependencies: {
            $0.connectivityClient.status = { .never }
            $0.connectivityClient.refusals = { .never }
            $0.authClient.sessionEnded = { .never }
            $0.uuid = .incrementing
            $0.date.now = Fixture.now
            $0.continuousClock = TestClock()
            $0.locale = Locale(identifier: "en_US_POSIX")
            dependencies(&$0)
        }
    }
}
