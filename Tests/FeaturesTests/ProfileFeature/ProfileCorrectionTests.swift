import Clients
import ComposableArchitecture
import Domain
import Testing

@testable import Features

/// Compares what seed 003 literally says with this app's corrections of it.
@MainActor @Suite struct ProfileCorrectionTests {
    /// The seed's code, copied word for word.
    private func seedCanSaveProfile(_ state: ProfileFeature.State) -> Bool {
        let (editingName, name) = (state.editingName, state.name)
        let (editingDescription, emergencyNote) = (state.editingDescription, state.emergencyNote)
        return !editingName.isEmpty && editingName != name || editingDescription != emergencyNote
    }

    @Test(
        """
        The seed's `canSaveProfile` saves an empty name when the note has changed, and responders \
        see no name; ours does not
        """
    )
    func emptyNameIsNotSaved() async {
        let state = ProfileFeature.State(
            name: "Ana", emergencyNote: "Old", isEditing: true, editingName: "",
            editingDescription: "New")
        #expect(seedCanSaveProfile(state))
        #expect(!state.canSaveProfile)
        let store = TestStore(initialState: state) { ProfileFeature() }
        await store.send(.saveButtonTapped)
    }

    @Test("The seed's `canSaveProfile` saves a name of nothing but spaces; ours does not")
    func spacesAreNotAName() {
        let state = ProfileFeature.State(name: "Ana", editingName: "   ")
        #expect(seedCanSaveProfile(state))
        #expect(!state.canSaveProfile)
    }

    @Test(
        """
        The seed's `confirmSignOut` over `Never` lacks a button that confirms, so signing out is \
        impossible; ours has `signOutConfirmed`
        """
    )
    func signingOutCanBeConfirmed() async {
        let seed = ConfirmationAlertState<Never> {
            TextState("Sign out?")
        } actions: {
            ButtonState(role: .destructive) { TextState("Sign out") }
        }
        #expect(seed.buttons.allSatisfy { $0.action.action == nil })

        let store = TestStore(initialState: ProfileFeature.State()) {
            ProfileFeature()
        } withDependencies: {
            $0.authClient.signOut = { [] }
            $0.signInSecurityClient.security = { SignInSecurity() }
        }
        await store.send(.signOutButtonTapped) {
            $0.confirmSignOut = .signOut($0.signOutWords { Fixture.now })
        }
        #expect(
            store.state.confirmSignOut?.buttons.compactMap(\.action.action) == [.signOutConfirmed])
        await store.send(\.confirmSignOut.signOutConfirmed) {
            $0.confirmSignOut = nil
            $0.isLoading = true
        }
        await store.receive(.signOutSucceeded([])) { $0.isLoading = false }
        await store.receive(.delegate(.signedOut([])))
    }
}
