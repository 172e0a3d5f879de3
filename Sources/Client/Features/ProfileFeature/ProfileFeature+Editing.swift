import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Name, emergency note and picture.
extension ProfileFeature {
    func saved(
        _ submission: Submission<UserProfile>, name: String, note: String, _ state: inout State
    ) -> Effect<Action> {
        state.isLoading = false
        // The form stays open when something was typed since the tap.
        state.isEditing = state.trimmedName != name || state.editingDescription != note
        let uploading = state.newProfilePicture.map { upload($0, &state) } ?? .none
        guard let profile = submission.confirmed else {
            state.name = name
            state.emergencyNote = note
            return uploading
        }
        state.show(profile)
        return .merge(.send(.delegate(.profileUpdated(profile))), uploading)
    }

    /// Sends what differs: an edit of the name never overwrites a note that was changed on another
    /// device.
    func save(_ state: inout State) -> Effect<Action> {
        guard state.canSaveProfile, state.begin() else { return .none }
        do {
            let name = try ProfileRules.name(state.editingName)
            let note = try ProfileRules.emergencyNote(state.editingDescription)
            let changedName = name == state.name ? nil : name
            let changedNote = note == state.emergencyNote ? nil : note
            return .run { send in
                let result = await Result.userFacing {
                    try await userClient.updateProfile(
                        name: changedName, emergencyNote: changedNote)
                }
                await send(.saveResponse(result, name: name, emergencyNote: note))
            }
            .cancellable(id: CancelID.command)
        } catch {
            state.fail(UserFacingError(catching: error))
            return .none
        }
    }

    func prepare(_ picture: Data?, _ state: inout State) -> Effect<Action> {
        state.isImagePickerPresented = false
        guard let picture, state.begin() else { return .none }
        return .run { send in
            await send(
                .imageResponse(.userFacing { try await imageClient.prepare(picture: picture) }))
        }
        .cancellable(id: CancelID.picture)
    }

    func removePicture(_ state: inout State) -> Effect<Action> {
        guard state.newProfilePicture == nil else {
            if !state.isLoading { state.newProfilePicture = nil }
            return .none
        }
        guard state.profilePictureURL != nil, state.begin() else { return .none }
        return .run { send in
            await send(
                .profilePictureResponse(
                    .userFacing { try await storageClient.removeProfilePicture() }))
        }
        .cancellable(id: CancelID.command)
    }

    func upload(_ picture: Data, _ state: inout State) -> Effect<Action> {
        guard state.begin() else { return .none }
        return .run { send in
            await send(
                .profilePictureResponse(
                    .userFacing { try await storageClient.updateProfilePicture(picture: picture) }))
        }
        .cancellable(id: CancelID.command)
    }
}
