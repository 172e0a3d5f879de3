import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct SignOutTests {
    @Test func cancellingSignOutChangesNothing() async {
        let store = TestStore(initialState: ProfileFeature.State()) { ProfileFeature() }
        await store.send(.signOutButtonTapped) { $0.confirmSignOut = .signOut }
        await store.send(\.confirmSignOut.dismiss) { $0.confirmSignOut = nil }
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
            $0.connectivityClient.status = {
                AsyncStream {
                    $0.yield(Connectivity(isOnline: false, waiting: waiting))
                }
            }
        }
    }

    private func confirm(_ store: TestStoreOf<ProfileFeature>) async {
        await store.send(.signOutButtonTapped) { $0.confirmSignOut = .signOut }
        await store.send(\.confirmSignOut.signOutConfirmed) {
            $0.confirmSignOut = nil
            $0.isLoading = true
        }
    }
}
