import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct ProfilePictureTests {
    private let url = URL(string: "https://example.org/a.jpg")

    @Test func pictureIsShrunkThenSaved() async throws {
        var profile = try Fixture.profile()
        profile.profilePictureURL = url
        let withPicture = profile
        let store = TestStore(
            initialState: ProfileFeature.State(
                name: "Ana", phoneNumber: "+15550100", isImagePickerPresented: true)
        ) {
            ProfileFeature()
        } withDependencies: {
            $0.imageClient.prepare = { $0.prefix(1) }
            $0.storageClient.updateProfilePicture = { picture in
                #expect(picture == Data([1]))
                return withPicture
            }
        }
        await store.send(.imageSelected(Data([1, 2]))) {
            $0.isImagePickerPresented = false
            $0.isLoading = true
        }
        await store.receive(\.imageResponse) {
            $0.isLoading = false
            $0.newProfilePicture = Data([1])
        }
        await store.send(.updateProfilePicture) { $0.isLoading = true }
        await store.receive(\.profilePictureResponse) {
            $0.isLoading = false
            $0.newProfilePicture = nil
            $0.profilePictureURL = withPicture.profilePictureURL
        }
        await store.receive(.delegate(.profileUpdated(withPicture)))
    }

    @Test func pictureIsSavedWithTheForm() async throws {
        let named = try Fixture.profile(name: "Anna")
        var withPicture = named
        withPicture.profilePictureURL = url
        let pictured = withPicture
        let store = TestStore(
            initialState: ProfileFeature.State(
                name: "Ana", phoneNumber: "+15550100", isEditing: true, editingName: "Anna",
                newProfilePicture: Data([1]))
        ) {
            ProfileFeature()
        } withDependencies: {
            $0.userClient.updateProfile = { _, _ in .confirmed(named) }
            $0.storageClient.updateProfilePicture = { _ in pictured }
        }
        await store.send(.saveButtonTapped) { $0.isLoading = true }
        await store.receive(\.saveResponse) {
            $0.name = "Anna"
            $0.isEditing = false
        }
        await store.receive(.delegate(.profileUpdated(named)))
        await store.receive(\.profilePictureResponse) {
            $0.isLoading = false
            $0.newProfilePicture = nil
            $0.profilePictureURL = pictured.profilePictureURL
        }
        await store.receive(.delegate(.profileUpdated(pictured)))
    }

    @Test func invalidPictureIsRefused() async {
        let store = TestStore(initialState: ProfileFeature.State()) {
            ProfileFeature()
        } withDependencies: {
            $0.imageClient.prepare = { _ in throw Fixture.refused }
        }
        await store.send(.imageSelected(Data([0]))) { $0.isLoading = true }
        await store.receive(\.imageResponse.failure) {
            $0.isLoading = false
            $0.error = Fixture.refused
        }
    }

    @Test func failedUploadKeepsThePicture() async {
        let store = TestStore(initialState: ProfileFeature.State(newProfilePicture: Data([1]))) {
            ProfileFeature()
        } withDependencies: {
            $0.storageClient.updateProfilePicture = { _ in throw UserFacingError.unavailable }
        }
        await store.send(.updateProfilePicture) { $0.isLoading = true }
        await store.receive(\.profilePictureResponse.failure) {
            $0.isLoading = false
            $0.error = .unavailable
        }
        #expect(store.state.newProfilePicture == Data([1]))
    }

    @Test func pictureIsRemoved() async throws {
        let bare = try Fixture.profile()
        let store = TestStore(
            initialState: ProfileFeature.State(
                name: "Ana", phoneNumber: "+15550100", profilePictureURL: url)
        ) {
            ProfileFeature()
        } withDependencies: {
            $0.storageClient.removeProfilePicture = { bare }
        }
        await store.send(.removeProfilePictureButtonTapped) { $0.isLoading = true }
        await store.receive(\.profilePictureResponse) {
            $0.isLoading = false
            $0.profilePictureURL = nil
        }
        await store.receive(\.delegate.profileUpdated)
        await store.send(.removeProfilePictureButtonTapped)
    }

    @Test func removingDropsTheChosenPictureFirst() async {
        let store = TestStore(
            initialState: ProfileFeature.State(profilePictureURL: url, newProfilePicture: Data([1]))
        ) { ProfileFeature() }
        await store.send(.removeProfilePictureButtonTapped) { $0.newProfilePicture = nil }
    }

    @Test func secondUploadIsIgnored() async {
        let store = TestStore(initialState: ProfileFeature.State(newProfilePicture: Data([1]))) {
            ProfileFeature()
        } withDependencies: {
            $0.storageClient.updateProfilePicture = { _ in try await Task.never() }
        }
        await store.send(.updateProfilePicture) { $0.isLoading = true }
        await store.send(.updateProfilePicture)
        await store.send(.imageSelected(Data([2])))
        await store.send(.removeProfilePictureButtonTapped)
        await store.skipInFlightEffects()
    }

    @Test func savingNeedsAPicture() async {
        let store = TestStore(initialState: ProfileFeature.State()) { ProfileFeature() }
        await store.send(.updateProfilePicture)
    }
}
