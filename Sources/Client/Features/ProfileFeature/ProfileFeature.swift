import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The person's own profile, and the way out (seed 003).
@Reducer
public struct ProfileFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// As the server or this device knows it.
        public var name: String
        /// E.164; empty until the profile is known.
        public var phoneNumber: String
        /// As the server or this device knows it.
        public var emergencyNote: String
        /// nil without a picture.
        public var profilePictureURL: URL?

        /// The form is open.
        public var isEditing: Bool
        /// As it was typed; it is trimmed when it is saved.
        public var editingName: String
        /// The emergency note as it was typed.
        public var editingDescription: String
        /// For front ends that present a picker; a browser opens its own.
        public var isImagePickerPresented: Bool
        /// Chosen, made small and without metadata, and not saved yet.
        public var newProfilePicture: Data?

        /// Something was asked of the server and has not been answered.
        public var isLoading: Bool
        /// The last failure, until it is dismissed or the next try begins.
        public var error: UserFacingError?

        /// The user's code, as a sheet.
        @Presents public var qrCode: QRCodeFeature.State?
        /// The question before signing out.
        @Presents public var confirmSignOut: ConfirmationAlertState<Action.SignOutConfirmation>?
        /// Moving the account to another number, as a sheet.
        @Presents public var phoneNumberChange: PhoneNumberChangeFeature.State?
        /// The settings page; nil while it is closed.
        @Presents public var settings: SettingsFeature.State?
        /// The account is being deleted, whether its page is shown or not.
        var isDeletingAccount = false
        /// The profile changes that are queued.
        public var waiting: [WaitingAction]

        public init(
            name: String = "", phoneNumber: String = "", emergencyNote: String = "",
            profilePictureURL: URL? = nil, isEditing: Bool = false,
            editingName: String = "", editingDescription: String = "",
            isImagePickerPresented: Bool = false, newProfilePicture: Data? = nil,
            isLoading: Bool = false, error: UserFacingError? = nil, waiting: [WaitingAction] = []
        ) {
            self.name = name
            self.phoneNumber = phoneNumber
            self.emergencyNote = emergencyNote
            self.profilePictureURL = profilePictureURL
            self.isEditing = isEditing
            self.editingName = editingName
            self.editingDescription = editingDescription
            self.isImagePickerPresented = isImagePickerPresented
            self.newProfilePicture = newProfilePicture
            self.isLoading = isLoading
            self.error = error
            self.waiting = waiting
        }

        /// The trimmed name is not empty, and the name or the note differs.
        public var canSaveProfile: Bool {
            !trimmedName.isEmpty && (trimmedName != name || editingDescription != emergencyNote)
        }

        public var displayName: String { name.isEmpty ? "User" : name }
        public var hasProfilePicture: Bool { profilePictureURL != nil || newProfilePicture != nil }
        /// An edit of the profile is on disk and not with the server yet.
        public var isWaitingToBeSent: Bool { waiting.contains { $0.kind == .updateProfile } }

        var trimmedName: String { ProfileRules.trimmedName(editingName) }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        case profileChanged(UserProfile)
        case connectivityChanged(Connectivity)

        case editButtonTapped
        case editingNameChanged(String)
        case editingDescriptionChanged(String)
        case cancelEditButtonTapped
        case saveButtonTapped
        /// With what was asked for, which is shown while it waits.
        case saveResponse(
            Result<Submission<UserProfile>, UserFacingError>, name: String, emergencyNote: String)

        case setImagePickerPresented(Bool)
        case imageSelected(Data?)
        case imageResponse(Result<Data, UserFacingError>)
        case updateProfilePicture
        case removeProfilePictureButtonTapped
        case profilePictureResponse(Result<UserProfile, UserFacingError>)

        case qrCodeButtonTapped
        case settingsButtonTapped
        case changePhoneNumberButtonTapped
        case signOutButtonTapped
        case signOutFailed(UserFacingError, waiting: [WaitingAction])
        case signOutSucceeded
        /// The words for its failure; nil when the account is gone.
        case accountDeletionEnded(UserFacingError?)
        case sessionEndingEnded(Result<SessionID, UserFacingError>)
        case dismissError

        case qrCode(PresentationAction<QRCodeFeature.Action>)
        case settings(PresentationAction<SettingsFeature.Action>)
        case phoneNumberChange(PresentationAction<PhoneNumberChangeFeature.Action>)
        case confirmSignOut(PresentationAction<SignOutConfirmation>)
        case delegate(Delegate)

        @CasePathable
        public enum SignOutConfirmation: Equatable, Sendable {
            case signOutConfirmed
            /// Signs out and gives up what waits to be sent.
            case discardConfirmed
        }

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case signedOut
            case accountDeleted
            case profileUpdated(UserProfile)
            /// The user has scanned somebody's code; the sheet has closed.
            case codeScanned(String)
        }
    }

    @Dependency(\.authClient) var authClient
    @Dependency(\.connectivityClient) var connectivityClient
    @Dependency(\.imageClient) var imageClient
    @Dependency(\.storageClient) var storageClient
    @Dependency(\.userClient) var userClient
    @Dependency(\.uuid) var uuid

    enum CancelID { case streams, command, picture }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear: return streams()
            case .onDisappear: return .cancel(id: CancelID.streams)
            case .profileChanged(let profile):
                state.show(profile)
                return .none
            case .connectivityChanged(let connectivity):
                state.waiting = connectivity.waiting
                return .none
            case .qrCodeButtonTapped:
                guard state.qrCode == nil else { return .none }
                state.qrCode = QRCodeFeature.State(qrCodeID: uuid().uuidString)
                return .none
            case .qrCode(.presented(.delegate(.codeScanned(let id)))):
                state.qrCode = nil
                return .send(.delegate(.codeScanned(id)))
            case .settingsButtonTapped:
                state.settings = SettingsFeature.State(isDeletingAccount: state.isDeletingAccount)
                return .none
            case .changePhoneNumberButtonTapped:
                state.phoneNumberChange = PhoneNumberChangeFeature.State()
                return .none
            case .phoneNumberChange(.presented(.delegate(.phoneNumberChanged(let profile)))):
                state.show(profile)
                return .send(.delegate(.profileUpdated(profile)))
            case .settings(.presented(.delegate)), .accountDeletionEnded, .sessionEndingEnded:
                return reduceSettings(into: &state, action: action)
            case .dismissError:
                state.error = nil
                return .none
            case .signOutButtonTapped, .confirmSignOut, .signOutFailed, .signOutSucceeded:
                return reduceSignOut(into: &state, action: action)
            case .setImagePickerPresented, .imageSelected, .imageResponse, .updateProfilePicture,
                .removeProfilePictureButtonTapped,
                .profilePictureResponse:
                return reducePicture(into: &state, action: action)
            case .editButtonTapped, .editingNameChanged, .editingDescriptionChanged,
                .cancelEditButtonTapped, .saveButtonTapped, .saveResponse:
                return reduceEditing(into: &state, action: action)
            case .qrCode, .settings, .phoneNumberChange, .delegate:
                return .none
            }
        }
        .ifLet(\.$qrCode, action: \.qrCode) { QRCodeFeature() }
        .ifLet(\.$settings, action: \.settings) { SettingsFeature() }
        .ifLet(\.$phoneNumberChange, action: \.phoneNumberChange) { PhoneNumberChangeFeature() }
        .ifLet(\.$confirmSignOut, action: \.confirmSignOut)
    }

    private func streams() -> Effect<Action> {
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

extension ProfileFeature.State {
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
