import Clients
import ComposableArchitecture
import Domain

extension ProfileFeature.State {
    /// The trimmed name is not empty, and the name or the note differs.
    public var canSaveProfile: Bool {
        !trimmedName.isEmpty && (trimmedName != name || editingDescription != emergencyNote)
    }

    public var displayName: String { name.isEmpty ? "User" : name }
    public var hasProfilePicture: Bool { profilePictureURL != nil || newProfilePicture != nil }
    /// An edit of the profile is on disk and not with the server yet.
    public var isWaitingToBeSent: Bool { waiting.contains { $0.kind == .updateProfile } }

    var trimmedName: String { ProfileRules.trimmedName(editingName) }

    /// Shows a newer profile. Edited fields stay; an untouched field follows, since saving would
    /// otherwise undo another device's change.
    mutating func show(_ profile: UserProfile) {
        if isEditing, editingName == name { editingName = profile.name }
        if isEditing, editingDescription == emergencyNote {
            editingDescription = profile.emergencyNote
        }
        name = profile.name
        phoneNumber = profile.phoneNumber.text
        emergencyNote = profile.emergencyNote
        profilePictureURL = profile.profilePictureURL
    }

    /// The settings page; nil while it is closed.
    public var settings: SettingsFeature.State? {
        if case .settings(let settings) = destination { settings } else { nil }
    }

    /// Moving the account to another number; nil while its sheet is closed.
    public var phoneNumberChange: PhoneNumberChangeFeature.State? {
        if case .phoneNumberChange(let change) = destination { change } else { nil }
    }

    /// The sheet of the e-mail address; nil while it is closed.
    public var emailAddress: EmailAddressFeature.State? {
        if case .emailAddress(let email) = destination { email } else { nil }
    }

    mutating func beginEditing() {
        isEditing = true
        editingName = name
        editingDescription = emergencyNote
    }

    /// A save that is on its way can't be taken back: it closes the form itself.
    mutating func cancelEditing() {
        guard !isLoading else { return }
        isEditing = false
        newProfilePicture = nil
        error = nil
    }

    /// False while another operation runs: a second tap does nothing then.
    mutating func begin() -> Bool {
        guard !isLoading else { return false }
        isLoading = true
        error = nil
        return true
    }

    mutating func fail(_ error: UserFacingError) {
        isLoading = false
        self.error = error
    }
}

extension ProfileFeature {
    func streams() -> Effect<Action> {
        .merge(
            .run { send in
                for await profile in userClient.profileStream() {
                    await send(.profileChanged(profile))
                }
            },
            .run { send in
                for await connectivity in connectivityClient.status() {
                    await send(.connectivityChanged(connectivity))
                }
            }
        )
        .cancellable(id: CancelID.streams, cancelInFlight: true)
    }
}
