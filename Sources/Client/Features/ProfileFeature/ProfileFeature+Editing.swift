import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Name, emergency note and picture.
extension ProfileFeature {
    func reduceEditing(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .editButtonTapped:
            state.isEditing = true
            state.editingName = state.name
            state.editingDescription = state.emergencyNote
            return .none
        case .editingNameChanged(let name):
            state.editingName = name
            return .none
        case .editingDescriptionChanged(let note):
            state.editingDescription = note
            return .none
        case .cancelEditButtonTapped:
            // A save that is on its way can't be taken back: it closes the form itself.
            guard !state.isLoading else { return .none }
            state.isEditing = false
            state.newProfilePicture = nil
            state.error = nil
            return .none
        case .saveButtonTapped:
            guard state.canSaveProfile, state.begin() else { return .none }
            return save(&state)
        case .saveResponse(.success(let submission), let name, let note):
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
        case .saveResponse(.failure(let error), _, _):
            state.fail(error)
            return .none
        default:
            return .none
        }
    }

    /// Sends what differs: an edit of the name never overwrites a note that was changed on another
    /// device.
    private func save(_ state: inout State) -> Effect<Action> {
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

    func reducePicture(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .setImagePickerPresented(let isPresented):
            state.isImagePickerPresented = isPresented
            return .none
        case .imageSelected(let picture):
            state.isImagePickerPresented = false
            guard let picture, state.begin() else { return .none }
            return .run { send in
                await send(
                    .imageResponse(.userFacing { try await imageClient.prepare(picture: picture) }))
            }
            .cancellable(id: CancelID.picture)
        case .imageResponse(.success(let picture)):
            state.isLoading = false
            state.newProfilePicture = picture
            return .none
        case .updateProfilePicture:
            guard let picture = state.newProfilePicture else { return .none }
            return upload(picture, &state)
        case .removeProfilePictureButtonTapped:
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
        case .profilePictureResponse(.success(let profile)):
            state.isLoading = false
            state.newProfilePicture = nil
            state.show(profile)
            return .send(.delegate(.profileUpdated(profile)))
        case .imageResponse(.failure(let error)), .profilePictureResponse(.failure(let error)):
            state.fail(error)
            return .none
        default:
            return .none
        }
    }

    private func upload(_ picture: Data, _ state: inout State) -> Effect<Action> {
        guard state.begin() else { return .none }
        return .run { send in
            await send(
                .profilePictureResponse(
                    .userFacing { try await storageClient.updateProfilePicture(picture: picture) }))
        }
        .cancellable(id: CancelID.command)
    }
}
