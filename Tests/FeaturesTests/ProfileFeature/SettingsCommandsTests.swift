import Clients
import ComposableArchitecture
import Domain
import Testing

@testable import Features

/// Commands of the settings page are completed even after the page is closed.
@MainActor @Suite struct SettingsCommandsTests {
    @Test func leavingSettingsDoesNotCancelTheDeletion() async {
        let gate = Gate<Bool>()
        let store = store { $0.userClient.deleteAccount = { _ in _ = try await gate.wait() } }
        await store.send(\.destination.settings.delegate.accountDeletionConfirmed) {
            $0.isDeletingAccount = true
        }
        await store.send(\.destination.dismiss) { $0.destination = nil }
        gate.open(true)
        await store.receive(.accountDeletionEnded(nil)) { $0.isDeletingAccount = false }
        await store.receive(.delegate(.accountDeleted))
    }

    @Test func failedDeletionShowsOnTheCurrentPage() async {
        let gate = Gate<Bool>()
        let store = store { $0.userClient.deleteAccount = { _ in _ = try await gate.wait() } }
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

    @Test func deletionSendsTheCodeFromSettings() async {
        let codes = Calls<String?>([])
        var state = ProfileFeature.State()
        var settings = SettingsFeature.State()
        settings.deletionCode = "123456"
        state.destination = .settings(settings)
        let store = TestStore(initialState: state) {
            ProfileFeature()
        } withDependencies: {
            $0.userClient.deleteAccount = { code in codes.withValue { $0.append(code) } }
        }
        await store.send(\.destination.settings.delegate.accountDeletionConfirmed) {
            $0.isDeletingAccount = true
        }
        await store.receive(.accountDeletionEnded(nil)) { $0.isDeletingAccount = false }
        await store.receive(.delegate(.accountDeleted))
        #expect(codes.value == ["123456"])
    }

    @Test func leavingSettingsDoesNotCancelEndingASession() async {
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
