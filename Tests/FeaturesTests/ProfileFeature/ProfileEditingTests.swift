import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct ProfileEditingTests {
    private let editing = ProfileFeature.State(
        name: "Ana", phoneNumber: "+15550100", emergencyNote: "Old", isEditing: true,
        editingName: " Anna ", editingDescription: "Old")

    @Test func savesOnlyChangesAndTellsTheParent() async throws {
        let saved = try Fixture.profile(name: "Anna", emergencyNote: "Old")
        let store = store(editing) {
            $0.userClient.updateProfile = { name, note in
                #expect(name == "Anna")
                #expect(note == nil)
                return .confirmed(saved)
            }
        }
        await store.send(.saveButtonTapped) { $0.isLoading = true }
        await store.receive(
            .saveResponse(.success(.confirmed(saved)), name: "Anna", emergencyNote: "Old")
        ) {
            $0.isLoading = false
            $0.isEditing = false
            $0.name = "Anna"
        }
        await store.receive(.delegate(.profileUpdated(saved)))
    }

    @Test func offlineEditShowsAsUnsent() async {
        let store = store(editing) { $0.userClient.updateProfile = { _, _ in .waiting } }
        await store.send(.saveButtonTapped) { $0.isLoading = true }
        await store.receive(.saveResponse(.success(.waiting), name: "Anna", emergencyNote: "Old")) {
            $0.isLoading = false
            $0.isEditing = false
            $0.name = "Anna"
        }
        let offline = Connectivity(isOnline: false, waiting: Fixture.waiting(.updateProfile))
        await store.send(.connectivityChanged(offline)) { $0.waiting = offline.waiting }
        #expect(store.state.isWaitingToBeSent)
        await store.send(.connectivityChanged(Connectivity())) { $0.waiting = [] }
        #expect(!store.state.isWaitingToBeSent)
    }

    @Test func queuedCheckInIsNotAProfileEdit() {
        #expect(
            !ProfileFeature.State(waiting: Fixture.waiting(.checkIn, .raiseAlert)).isWaitingToBeSent
        )
    }

    @Test func refusalKeepsTheFormAndItsText() async {
        let store = store(editing) {
            $0.userClient.updateProfile = { _, _ in throw Fixture.refused }
        }
        await store.send(.saveButtonTapped) { $0.isLoading = true }
        await store.receive(\.saveResponse) {
            $0.isLoading = false
            $0.error = Fixture.refused
        }
        #expect(store.state.isEditing && store.state.editingName == " Anna ")
    }

    @Test func nextSaveClearsTheError() async throws {
        let saved = try Fixture.profile(name: "Anna", emergencyNote: "Old")
        var state = editing
        state.error = .unavailable
        let store = store(state) { $0.userClient.updateProfile = { _, _ in .confirmed(saved) } }
        await store.send(.saveButtonTapped) {
            $0.isLoading = true
            $0.error = nil
        }
        await store.skipReceivedActions()
    }

    /// The name is saved without marks that reverse the writing direction.
    @Test func directionMarksInANameAreDropped() async throws {
        var state = editing
        state.editingName = "\u{202E}Anna\u{2069} "
        let saved = try Fixture.profile(name: "Anna", emergencyNote: "Old")
        let store = store(state) { $0.userClient.updateProfile = { _, _ in .confirmed(saved) } }
        store.exhaustivity = .off
        await store.send(.saveButtonTapped)
        await store.receive(\.saveResponse)
        #expect(!store.state.isEditing)
    }

    @Test func directionMarksAloneAreNotAName() {
        var state = editing
        state.editingName = "\u{202E}\u{2069}"
        #expect(!state.canSaveProfile)
    }

    @Test func tooLongNameShowsItsError() async {
        var state = editing
        state.editingName = String(repeating: "a", count: 101)
        let store = TestStore(initialState: state) { ProfileFeature() }
        await store.send(.saveButtonTapped) {
            $0.error = UserFacingError(
                CommandError.invalidArgument(
                    field: "name", "Use at most 100 characters for your name."))
        }
    }

    @Test func secondSaveIsIgnored() async {
        let store = store(editing) {
            $0.userClient.updateProfile = { _, _ in try await Task.never() }
        }
        await store.send(.saveButtonTapped) { $0.isLoading = true }
        await store.send(.saveButtonTapped)
        await store.send(.cancelEditButtonTapped)
        await store.send(.signOutButtonTapped)
        await store.skipInFlightEffects()
    }

    @Test func textTypedWhileSavingStays() async throws {
        let saved = try Fixture.profile(name: "Anna", emergencyNote: "Old")
        let (answers, answer) = AsyncStream.makeStream(of: UserProfile.self)
        let store = store(editing) {
            $0.userClient.updateProfile = { _, _ in
                for await profile in answers { return .confirmed(profile) }
                throw CancellationError()
            }
        }
        await store.send(.saveButtonTapped) { $0.isLoading = true }
        await store.send(.editingDescriptionChanged("Old and more")) {
            $0.editingDescription = "Old and more"
        }
        answer.yield(saved)
        await store.receive(\.saveResponse) {
            $0.isLoading = false
            $0.name = "Anna"
        }
        await store.receive(\.delegate.profileUpdated)
        #expect(store.state.isEditing && store.state.canSaveProfile)
    }

    @Test func leavingDoesNotCancelTheSave() async throws {
        let saved = try Fixture.profile(name: "Anna", emergencyNote: "Old")
        let (answers, answer) = AsyncStream.makeStream(of: UserProfile.self)
        let store = store(editing) {
            $0.userClient.profileStream = { .never }
            $0.connectivityClient.status = { .never }
            $0.userClient.updateProfile = { _, _ in
                for await profile in answers { return .confirmed(profile) }
                throw CancellationError()
            }
        }
        await store.send(.onAppear)
        await store.send(.saveButtonTapped) { $0.isLoading = true }
        await store.send(.onDisappear)
        answer.yield(saved)
        await store.receive(\.saveResponse) {
            $0.isLoading = false
            $0.isEditing = false
            $0.name = "Anna"
        }
        await store.receive(\.delegate.profileUpdated)
        await store.finish()
    }

    @Test func followsTheStreamUntilLeaving() async throws {
        let profile = try Fixture.profile(name: "Ana", emergencyNote: "Penicillin")
        let (profiles, change) = AsyncStream.makeStream(of: UserProfile.self)
        let store = store(ProfileFeature.State()) {
            $0.userClient.profileStream = { profiles }
            $0.connectivityClient.status = { .never }
        }
        await store.send(.onAppear)
        change.yield(profile)
        await store.receive(.profileChanged(profile)) {
            $0.name = "Ana"
            $0.phoneNumber = "+15550100"
            $0.emergencyNote = "Penicillin"
        }
        await store.send(.onDisappear)
        change.yield(try Fixture.profile(name: "Late"))
        await store.finish()
    }

    @Test func otherDevicesChangeKeepsTheTypedText() async throws {
        var state = editing
        state.editingDescription = "Old and more"
        let store = TestStore(initialState: state) { ProfileFeature() }
        await store.send(
            .profileChanged(try Fixture.profile(name: "Ana", emergencyNote: "From the tablet"))
        ) {
            $0.emergencyNote = "From the tablet"
        }
        #expect(
            store.state.editingName == " Anna " && store.state.editingDescription == "Old and more")
    }

    @Test func savingTheNameKeepsAnotherDevicesNote() async throws {
        let changed = try Fixture.profile(name: "Ana", emergencyNote: "From the tablet")
        let saved = try Fixture.profile(name: "Anna", emergencyNote: "From the tablet")
        let store = store(editing) {
            $0.userClient.updateProfile = { name, note in
                #expect(name == "Anna")
                #expect(note == nil)
                return .confirmed(saved)
            }
        }
        await store.send(.profileChanged(changed)) {
            $0.emergencyNote = "From the tablet"
            $0.editingDescription = "From the tablet"
        }
        await store.send(.saveButtonTapped) { $0.isLoading = true }
        await store.receive(\.saveResponse) {
            $0.isLoading = false
            $0.isEditing = false
            $0.name = "Anna"
        }
        await store.receive(\.delegate.profileUpdated)
    }

    @Test func earlyOpenedFormErasesNothing() async throws {
        let store = TestStore(initialState: ProfileFeature.State()) { ProfileFeature() }
        await store.send(.editButtonTapped) { $0.isEditing = true }
        await store.send(
            .profileChanged(try Fixture.profile(name: "Ana", emergencyNote: "Penicillin"))
        ) {
            $0.name = "Ana"
            $0.phoneNumber = "+15550100"
            $0.emergencyNote = "Penicillin"
            $0.editingName = "Ana"
            $0.editingDescription = "Penicillin"
        }
        #expect(!store.state.canSaveProfile)
    }

    @Test func cancellingDropsThePicture() async {
        var state = editing
        state.newProfilePicture = Data([1])
        let store = TestStore(initialState: state) { ProfileFeature() }
        await store.send(.cancelEditButtonTapped) {
            $0.isEditing = false
            $0.newProfilePicture = nil
        }
    }

    private func store(
        _ state: ProfileFeature.State, _ dependencies: (inout DependencyValues) -> Void
    ) -> TestStoreOf<ProfileFeature> {
        .init(initialState: state, reducer: { ProfileFeature() }, withDependencies: dependencies)
    }
}
