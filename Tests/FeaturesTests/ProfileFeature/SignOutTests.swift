import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct SignOutTests {
    @Test func cancellingSignOutChangesNothing() async {
        let store = TestStore(initialState: ProfileFeature.State()) {
            ProfileFeature()
        } withDependencies: {
            $0.signInSecurityClient.security = { SignInSecurity() }
        }
        await store.send(.signOutButtonTapped) {
            $0.confirmSignOut = .signOut($0.signOutWords { Fixture.now })
        }
        await store.send(\.confirmSignOut.dismiss) { $0.confirmSignOut = nil }
    }

    @Test func questionNamesWhatContinues() throws {
        var profile = try Fixture.profile()
        func words(_ alerts: AlertKind...) -> String {
            var state = ProfileFeature.State()
            state.show(profile)
            state.unfinished.alerts = alerts
            return state.signOutWords { Fixture.now }
        }
        let forgets = "This device forgets your profile, contacts and history."
        #expect(words() == forgets, "a schedule without deadlines")
        #expect(
            words(.manual)
                == "\(forgets) Your alert stays on. End it first, or sign in again to end it.")
        profile.nextCheckInTime = Fixture.now.adding(.hours(3))
        let deadline = " Your deadline keeps running: sign in again in time to check in."
        #expect(words() == forgets + deadline)
        #expect(ProfileFeature.State().signOutWords { Fixture.now } == forgets + deadline)
        let missed = words(.missedCheckIn)
        #expect(missed.hasSuffix("stays on. Check in first, or sign in again to check in."))
        let journey = JourneyRecord(
            id: Fixture.id(20), name: "Zugspitze", startTime: Fixture.now,
            expectedReturn: Fixture.now.adding(.hours(1)))
        profile.journey = journey
        let time = Timestamp.clockTime(journey.deadline, in: nil, at: Fixture.now)
        #expect(
            words() == """
                \(forgets) Your journey continues: your responders are told at \(time), unless you \
                sign in again and say that you have arrived.\(deadline)
                """)
        let overdue = words(.journey)
        #expect(overdue.contains("alert about your journey stays on. Say first that you have"))
        #expect(!overdue.contains("continues"))
    }

    @Test(arguments: [
        (0, 0, "before it signs you in, and you have no passkey and no recovery codes."),
        (1, 0, "You can sign in at once with your passkey."),
        (0, 1, "You can sign in at once with your last recovery code."),
        (2, 9, "at once with one of your 2 passkeys or one of your 9 recovery codes."),
    ])
    func lockNamesTheWaysToSignIn(passkeys: Int, codes: Int, words: String) {
        let locked = LockedSignIn(passkeys: passkeys, recoveryCodes: codes)
        #expect(locked.words.hasSuffix(words), "\(locked.words)")
        #expect(locked.words.contains("a code waits 7 days"))
        var unfinished = Unfinished()
        unfinished.deadline = Fixture.now
        unfinished.locked = locked
        let sentences = unfinished.sentences { Fixture.now }
        #expect(sentences.last == locked.words)
        #expect((sentences.first == "Your deadline keeps running.") == (passkeys + codes == 0))
    }

    @Test func questionSaysThatACodeWaits() async {
        let store = TestStore(initialState: ProfileFeature.State(phoneNumber: "+15550100")) {
            ProfileFeature()
        } withDependencies: {
            $0.signInSecurityClient.security = { SignInSecurity(isLocked: true, recoveryCodes: 2) }
            $0.passkeyClient.passkeys = { [] }
            $0.date.now = Fixture.now
        }
        let locked = LockedSignIn(passkeys: 0, recoveryCodes: 2)
        store.exhaustivity = .off
        await store.send(.signOutButtonTapped)
        await store.receive(.lockLoaded(locked))
        let message = store.state.confirmSignOut?.message.map { String(state: $0) } ?? ""
        #expect(message.hasSuffix(locked.words), "\(message)")
        await store.send(\.confirmSignOut.dismiss)
        await store.send(.lockLoaded(locked))
        #expect(store.state.confirmSignOut == nil, "A late answer opens no question.")
    }

    @Test func questionSaysThatTheLockIsNotKnown() async {
        let store = TestStore(initialState: ProfileFeature.State(phoneNumber: "+15550100")) {
            ProfileFeature()
        } withDependencies: {
            $0.signInSecurityClient.security = { throw UserFacingError.unavailable }
            $0.date.now = Fixture.now
        }
        store.exhaustivity = .off
        await store.send(.signOutButtonTapped)
        await store.receive(.lockLoaded(nil))
        let message = store.state.confirmSignOut?.message.map { String(state: $0) } ?? ""
        #expect(message.contains("it isn't known whether the sign-in lock is on."), "\(message)")
        await store.send(\.confirmSignOut.dismiss)
        store.dependencies.signInSecurityClient.security = { SignInSecurity() }
        await store.send(.signOutButtonTapped)
        #expect(!store.state.unfinished.isLockUnknown, "A later answer may say that it is off.")
        await store.finish()
    }

    @Test func terminalSaysWhatContinuesAfterwards() {
        let alert = Unfinished(alerts: [.manual]).sentences(isSignedOut: true) { Fixture.now }
        #expect(alert == ["Your alert stays on. Sign in again to end it."])
        #expect(Unfinished().sentences(isSignedOut: true) { Fixture.now } == [])
    }

    @Test func questionKnowsTheOpenAlerts() async {
        var state = MainTabFeature.State(userID: Fixture.ana)
        state.home.alert.isAlertActive = true
        state.home.alert.missedCheckIn = Fixture.alert(7, kind: .missedCheckIn)
        let store = TestStore(initialState: state) {
            MainTabFeature()
        } withDependencies: {
            $0.signInSecurityClient.security = { SignInSecurity() }
        }
        store.exhaustivity = .off
        await store.send(.profile(.signOutButtonTapped))
        #expect(store.state.profile.unfinished.alerts == [.manual, .missedCheckIn])
        let message = store.state.profile.confirmSignOut?.message.map { String(state: $0) } ?? ""
        #expect(message.contains("Your alert stays on."))
    }

    @Test func queuedActionsAreNamedAndKept() async {
        let waiting = Fixture.waiting(.raiseAlert, .checkIn, .checkIn)
        let store = refusing(waiting)
        await confirm(store)
        await store.receive(.signOutFailed(.unavailable, waiting: waiting)) {
            $0.isLoading = false
            $0.waiting = waiting
            $0.confirmSignOut = .discard(waiting)
        }
        let message = store.state.confirmSignOut?.message.map { String(state: $0) } ?? ""
        #expect(message.contains("an alert and 2 check-ins"), "\(message)")
        await store.send(\.confirmSignOut.dismiss) { $0.confirmSignOut = nil }
    }

    @Test func queueIsDiscardedOnlyAfterConfirmation() async {
        let waiting = Fixture.waiting(.checkIn)
        let ids = Set(waiting.map(\.id))
        let later = Fixture.waiting(.checkIn, .raiseAlert).filter { !ids.contains($0.id) }
        let discarded = LockIsolated<Set<UUID>?>(nil)
        let store = refusing(waiting)
        store.dependencies.authClient.signOutDiscardingQueue = { ids in
            discarded.setValue(ids)
            return later
        }
        await confirm(store)
        await store.receive(\.signOutFailed) {
            $0.isLoading = false
            $0.waiting = waiting
            $0.confirmSignOut = .discard(waiting)
        }
        #expect(discarded.value == nil)
        #expect(store.state.confirmSignOut?.buttons.first?.action.action == .discardConfirmed(ids))
        await store.send(.confirmSignOut(.presented(.discardConfirmed(ids)))) {
            $0.confirmSignOut = nil
            $0.isLoading = true
        }
        await store.receive(.signOutSucceeded(later)) { $0.isLoading = false }
        await store.receive(.delegate(.signedOut(later)))
        #expect(discarded.value == ids)
    }

    @Test func failureWithoutQueueShowsItsText() async {
        let store = refusing([])
        await confirm(store)
        await store.receive(.signOutFailed(.unavailable, waiting: [])) {
            $0.isLoading = false
            $0.error = .unavailable
        }
    }

    @Test func secondSignOutIsIgnored() async {
        let store = refusing([])
        store.dependencies.authClient.signOut = { try await Task.never() }
        await confirm(store)
        await store.send(.signOutButtonTapped)
        await store.send(.editButtonTapped) {
            $0.isEditing = true
        }
        await store.skipInFlightEffects()
    }

    @Test func leavingDoesNotCancelSignOut() async {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let store = refusing([])
        let unsent = Fixture.waiting(.raiseAlert)
        store.dependencies.authClient.signOut = {
            for await _ in gate { break }
            return unsent
        }
        await confirm(store)
        await store.send(.onDisappear)
        open.yield()
        await store.receive(.signOutSucceeded(unsent)) { $0.isLoading = false }
        await store.receive(.delegate(.signedOut(unsent)))
    }

    @Test(arguments: WaitingAction.Kind.allCases) func everyQueuedActionHasTexts(
        kind: WaitingAction.Kind
    ) {
        let one = Fixture.waiting(kind).inWords
        let two = Fixture.waiting(kind, kind).inWords
        #expect(!one.isEmpty && two.hasPrefix("2 ") && !one.contains("2"))
    }

    @Test func queueTextIsInSendingOrder() {
        #expect(Fixture.waiting().inWords == "")
        #expect(Fixture.waiting(.checkIn).inWords == "a check-in")
        #expect(
            Fixture.waiting(.raiseAlert, .checkIn, .updateProfile, .checkIn).inWords
                == "an alert, 2 check-ins and a change of your profile")
    }

    @Test func profileReportsTheDeletedAccount() async {
        let store = TestStore(initialState: ProfileFeature.State()) {
            ProfileFeature()
        } withDependencies: {
            $0.userClient.deleteAccount = { _ in }
        }
        store.exhaustivity = .off
        await store.send(.settingsButtonTapped)
        await store.send(\.destination.settings.deleteAccountButtonTapped)
        await store.send(\.destination.settings.confirmation.deleteAccountConfirmed)
        await store.receive(.delegate(.accountDeleted))
    }

    private func refusing(_ waiting: [WaitingAction]) -> TestStoreOf<ProfileFeature> {
        TestStore(initialState: ProfileFeature.State()) {
            ProfileFeature()
        } withDependencies: {
            $0.authClient.signOut = { throw UserFacingError.unavailable }
            $0.signInSecurityClient.security = { SignInSecurity() }
            $0.connectivityClient.status = {
                AsyncStream {
                    $0.yield(Connectivity(isOnline: false, waiting: waiting))
                }
            }
        }
    }

    private func confirm(_ store: TestStoreOf<ProfileFeature>) async {
        await store.send(.signOutButtonTapped) {
            $0.confirmSignOut = .signOut($0.signOutWords { Fixture.now })
        }
        await store.send(\.confirmSignOut.signOutConfirmed) {
            $0.confirmSignOut = nil
            $0.isLoading = true
        }
    }
}
