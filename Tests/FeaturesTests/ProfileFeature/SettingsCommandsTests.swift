import Clients
import ComposableArchitecture
import Domain
import Testing

@testable import Features

/// Commands of the settings page are done, whether the page stays or not.
@MainActor @Suite struct SettingsCommandsTests {
    @Test func leavingSettingsDoesNotCancelTheDeletionOfTheAccount() async {
        let gate = Gate<Bool>()
        let store = store { $0.userClient.deleteAccount = { _ = try await gate.wait() } }
        await store.send(\.destination.settings.delegate.accountDeletionConfirmed) {
            $0.isDeletingAccount = true
        }
        await store.send(\.destination.dismiss) { $0.destination = nil }
        gate.open(true)
        await store.receive(.accountDeletionEnded(nil)) { $0.isDeletingAccount = false }
        await store.receive(.delegate(.accountDeleted))
    }

    @Test func aDeletionThatFailsIsSaidWhereThePersonIs() async {
        let gate = Gate<Bool>()
        let store = store { $0.userClient.deleteAccount = { _ = try await gate.wait() } }
        await store.send(\.destination.settings.delegate.accountDeletionConfirmed) {
            $0.isDeletingAccount = true
        }
        await store.send(\.destination.dismiss) { $0.destination = nil }
        await store.send(.settingsButtonTapped) {
            $0.destination = .settings(.init(isDeletingAccount: true))
        }
        gate.fail(.unavailable)
        await store.receive(.accountDeletionEnded(.unavailable)) { $0.isDeletingAccount = false }
        await store.receive(\.destination.settings.deleteAccountFailed) {
            $0.destination?.modify(\.settings) { $0.isDeletingAccount = false }
            $0.destination?.modify(\.settings) { $0.error = .unavailable }
        }
        await store.send(\.destination.dismiss) { $0.destination = nil }
        await store.send(.accountDeletionEnded(.unavailable)) { $0.error = .unavailable }
    }

    @Test func leavingSettingsDoesNotCancelTheEndOfASession() async {
        let gate = Gate<Bool>()
        let id: SessionID = Fixture.id(7)
        let store = store { $0.authClient.endSession = { _ in _ = try await gate.wait() } }
        await store.send(\.destination.settings.delegate.sessionEndConfirmed, id)
        await store.send(\.destination.dismiss) { $0.destination = nil }
        gate.fail(Fixture.refused)
        await store.receive(\.sessionEndingEnded) { $0.error = Fixture.refused }
        #expect(gate.calls.value == 1)
    }

    private func store(
        _ dependencies: (inout DependencyValues) -> Void
    ) -> TestStoreOf<ProfileFeature> {
        var state = ProfileFeature.State()
        state.destination = .settings(.init())
        return TestStore(initialState: state) {
            ProfileFeature()
        } withDependencies: {
            dependencies(&$0)
        }
    }
}
