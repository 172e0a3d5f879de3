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
        await store.send(\.settings.delegate.accountDeletionConfirmed) {
            $0.isDeletingAccount = true
        }
        await store.send(\.settings.dismiss) { $0.settings = nil }
        gate.open(true)
        await store.receive(.accountDeletionEnded(nil)) { $0.isDeletingAccount = false }
        await store.receive(.delegate(.accountDeleted))
    }

    @Test func aDeletionThatFailsIsSaidWhereThePersonIs() async {
        let gate = Gate<Bool>()
        let store = store { $0.userClient.deleteAccount = { _ = try await gate.wait() } }
        await store.send(\.settings.delegate.accountDeletionConfirmed) {
            $0.isDeletingAccount = true
        }
        await store.send(\.settings.dismiss) { $0.settings = nil }
        await store.send(.settingsButtonTapped) { $0.settings = .init(isDeletingAccount: true) }
        gate.fail(.unavailable)
        await store.receive(.accountDeletionEnded(.unavailable)) { $0.isDeletingAccount = false }
        await store.receive(\.settings.deleteAccountFailed) {
            $0.settings?.isDeletingAccount = false
            $0.settings?.error = .unavailable
        }
        await store.send(\.settings.dismiss) { $0.settings = nil }
        await store.send(.accountDeletionEnded(.unavailable)) { $0.error = .unavailable }
    }

    @Test func leavingSettingsDoesNotCancelTheEndOfASession() async {
        let gate = Gate<Bool>()
        let id: SessionID = Fixture.id(7)
        let store = store { $0.authClient.endSession = { _ in _ = try await gate.wait() } }
        await store.send(\.settings.delegate.sessionEndConfirmed, id)
        await store.send(\.settings.dismiss) { $0.settings = nil }
        gate.fail(Fixture.refused)
        await store.receive(\.sessionEndingEnded) { $0.error = Fixture.refused }
        #expect(gate.calls.value == 1)
    }

    private func store(
        _ dependencies: (inout DependencyValues) -> Void
    ) -> TestStoreOf<ProfileFeature> {
        var state = ProfileFeature.State()
        state.settings = .init()
        return TestStore(initialState: state) {
            ProfileFeature()
        } withDependencies: {
            dependencies(&$0)
        }
    }
}
