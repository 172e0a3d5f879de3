import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct CopyChoiceTests {
    private var copied: ProfileFeature.State {
        var state = ProfileFeature.State(
            name: "Ana", phoneNumber: "+15550100", emergencyNote: "Old")
        state.copiesToGoogle = true
        return state
    }

    private func profile(leavesOut: Bool) throws -> UserProfile {
        var profile = try Fixture.profile(name: "Ana", emergencyNote: "Old")
        (profile.copiesToGoogle, profile.leavesNoteOutOfCopy) = (true, leavesOut)
        return profile
    }

    private func store(
        _ state: ProfileFeature.State, _ dependencies: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<ProfileFeature> {
        .init(initialState: state, reducer: { ProfileFeature() }, withDependencies: dependencies)
    }

    @Test(arguments: [false, true]) func switchIsSavedAndTellsTheParent(leavesOut: Bool)
        async throws
    {
        var state = copied
        state.leavesNoteOutOfCopy = !leavesOut
        let saved = try profile(leavesOut: leavesOut)
        let store = store(state) {
            $0.userClient.setLeavesNoteOutOfCopy = { asked in
                #expect(asked == leavesOut)
                return .confirmed(saved)
            }
        }
        await store.send(.leaveNoteOutToggled) { $0.isLoading = true }
        await store.receive(
            .leaveNoteOutResponse(.success(.confirmed(saved)), leavesOut: leavesOut)
        ) {
            $0.isLoading = false
            $0.leavesNoteOutOfCopy = leavesOut
        }
        await store.receive(.delegate(.profileUpdated(saved)))
    }

    @Test func offlineChoiceShowsAtOnce() async {
        let store = store(copied) { $0.userClient.setLeavesNoteOutOfCopy = { _ in .waiting } }
        await store.send(.leaveNoteOutToggled) { $0.isLoading = true }
        await store.receive(.leaveNoteOutResponse(.success(.waiting), leavesOut: true)) {
            $0.isLoading = false
            $0.leavesNoteOutOfCopy = true
        }
    }

    @Test func refusedChoiceKeepsTheSwitch() async {
        let store = store(copied) {
            $0.userClient.setLeavesNoteOutOfCopy = { _ in throw Fixture.refused }
        }
        await store.send(.leaveNoteOutToggled) { $0.isLoading = true }
        await store.receive(\.leaveNoteOutResponse) {
            $0.isLoading = false
            $0.error = Fixture.refused
        }
        #expect(!store.state.leavesNoteOutOfCopy)
    }

    @Test func secondToggleIsIgnoredWhileSaving() async {
        let store = store(copied) {
            $0.userClient.setLeavesNoteOutOfCopy = { _ in try await Task.never() }
        }
        await store.send(.leaveNoteOutToggled) { $0.isLoading = true }
        await store.send(.leaveNoteOutToggled)
        await store.skipInFlightEffects()
    }

    @Test func otherDevicesChoiceShows() async throws {
        let store = store(copied)
        await store.send(.profileChanged(try profile(leavesOut: true))) {
            $0.leavesNoteOutOfCopy = true
        }
    }

    /// An earlier server, or one whose operator has ended the copy.
    @Test func serverWithoutACopyHidesTheSwitch() async throws {
        let store = store(copied)
        let profile = try Fixture.profile(name: "Ana", emergencyNote: "Old")
        await store.send(.profileChanged(profile)) { $0.copiesToGoogle = false }
    }
}
