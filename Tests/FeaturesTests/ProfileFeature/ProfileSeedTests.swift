import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Tests each statement of seed 003.
@MainActor @Suite struct ProfileSeedTests {
    let state = ProfileFeature.State()

    // MARK: User Profile Data

    @Test("`name: String` – the user's full name; `\"\"` at first, then from the profile")
    func name() throws {
        #expect(state.name == "")
        #expect(try shown(name: "Ana").name == "Ana")
    }

    @Test("`phoneNumber: String` – the user's phone number; `\"\"` at first, then from the profile")
    func phoneNumber() throws {
        #expect(state.phoneNumber == "")
        #expect(try shown().phoneNumber == "+15550100")
    }

    @Test(
        """
        `emergencyNote: String` – what responders should know in case of an emergency; `""` at \
        first, then from the profile
        """
    )
    func emergencyNote() throws {
        #expect(state.emergencyNote == "")
        #expect(try shown(emergencyNote: "Penicillin").emergencyNote == "Penicillin")
    }

    @Test(
        """
        `profilePictureURL: URL?` – the URL of the user's profile picture; nil at first, then from \
        the profile
        """
    ) func profilePictureURL() throws {
        #expect(state.profilePictureURL == nil)
        var profile = try Fixture.profile()
        profile.profilePictureURL = URL(string: "https://example.org/a.jpg")
        var shown = state
        shown.show(profile)
        #expect(shown.profilePictureURL == profile.profilePictureURL)
    }

    // MARK: Editing State

    @Test("`isEditing: Bool` – whether the user is currently editing their profile; false at first")
    func isEditing() async {
        #expect(!state.isEditing)
        let store = TestStore(initialState: state) { ProfileFeature() }
        await store.send(.editButtonTapped) { $0.isEditing = true }
        await store.send(.cancelEditButtonTapped) { $0.isEditing = false }
    }

    @Test("`editingName: String` – initialized with the current name when editing begins")
    func editingName() async {
        #expect(state.editingName == "")
        let store = TestStore(initialState: ProfileFeature.State(name: "Ana")) { ProfileFeature() }
        await store.send(.editButtonTapped) {
            $0.isEditing = true
            $0.editingName = "Ana"
        }
        await store.send(.editingNameChanged("Anna")) { $0.editingName = "Anna" }
    }

    @Test(
        """
        `editingDescription: String` – initialized with the current emergency note when editing \
        begins
        """
    ) func editingDescription() async {
        #expect(state.editingDescription == "")
        let store = TestStore(initialState: ProfileFeature.State(emergencyNote: "Penicillin")) {
            ProfileFeature()
        }
        await store.send(.editButtonTapped) {
            $0.isEditing = true
            $0.editingDescription = "Penicillin"
        }
        await store.send(.editingDescriptionChanged("None")) { $0.editingDescription = "None" }
    }

    @Test(
        """
        `isImagePickerPresented: Bool` – whether the image picker is currently presented; false at \
        first
        """
    ) func isImagePickerPresented() async {
        #expect(!state.isImagePickerPresented)
        let store = TestStore(initialState: state) { ProfileFeature() }
        await store.send(.setImagePickerPresented(true)) { $0.isImagePickerPresented = true }
        await store.send(.imageSelected(nil)) { $0.isImagePickerPresented = false }
    }

    @Test(
        """
        `newProfilePicture: Data?` – the data for a new profile picture that the user has selected \
        but not yet saved; nil at first
        """
    )
    func newProfilePicture() async {
        #expect(state.newProfilePicture == nil)
        let small = Data([1])
        let store = TestStore(initialState: state) {
            ProfileFeature()
        } withDependencies: {
            $0.imageClient.prepare = { _ in small }
        }
        await store.send(.imageSelected(Data([1, 2, 3]))) { $0.isLoading = true }
        await store.receive(.imageResponse(.success(small))) {
            $0.isLoading = false
            $0.newProfilePicture = small
        }
    }

    // MARK: UI State

    @Test(
        """
        `isLoading: Bool` – whether the feature is currently loading data or performing an \
        operation; false at first
        """
    ) func isLoading() {
        var state = state
        #expect(!state.isLoading)
        let first = state.begin()
        let second = state.begin()
        #expect(first && state.isLoading && !second)
    }

    @Test(
        """
        `error: UserFacingError?` – an optional error that should be displayed to the user; nil at \
        first
        """
    ) func error() async {
        #expect(state.error == nil)
        let store = TestStore(initialState: ProfileFeature.State(error: .unavailable)) {
            ProfileFeature()
        }
        await store.send(.dismissError) { $0.error = nil }
    }

    // MARK: Child Feature States

    @Test(
        """
        `@Presents var qrCode` – presented as a sheet when the user taps the QR code button; nil \
        at first
        """
    ) func qrCode() async {
        #expect(state.qrCode == nil)
        let store = TestStore(initialState: state) {
            ProfileFeature()
        } withDependencies: {
            $0.uuid = .incrementing
        }
        await store.send(.qrCodeButtonTapped) {
            $0.qrCode = .init(qrCodeID: "00000000-0000-0000-0000-000000000000")
        }
        await store.send(.qrCodeButtonTapped)
        await store.send(\.qrCode.dismiss) { $0.qrCode = nil }
        await store.send(.qrCodeButtonTapped) {
            $0.qrCode = .init(qrCodeID: "00000000-0000-0000-0000-000000000001")
        }
        await store.send(\.qrCode.delegate.codeScanned, "code") { $0.qrCode = nil }
        await store.receive(.delegate(.codeScanned("code")))
    }

    @Test(
        """
        `@Presents var confirmSignOut` – presented when the user attempts to sign out; nil at first
        """
    ) func confirmSignOut() async {
        #expect(state.confirmSignOut == nil)
        let store = TestStore(initialState: state) {
            ProfileFeature()
        } withDependencies: {
            $0.signInSecurityClient.security = { SignInSecurity() }
        }
        await store.send(.signOutButtonTapped) {
            $0.confirmSignOut = .signOut($0.signOutWords { Fixture.now })
        }
        await store.send(\.confirmSignOut.dismiss) { $0.confirmSignOut = nil }
    }
}
