import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The person's own profile, and the way out (seed 003).
@Reducer
public struct ProfileFeature: Sendable {
    /// A part of the profile that is open, one at a time. The seed names the code and the question
    /// before signing out, which are properties of their own.
    @Reducer
    public enum Destination {
        case settings(SettingsFeature)
        /// Moving the account to another number.
        case phoneNumberChange(PhoneNumberChangeFeature)
        case emailAddress(EmailAddressFeature)
    }

    @ObservableState
    public struct State: Equatable, Sendable {
        /// The value that the server or this device knows.
        public var name: String
        /// E.164; empty until the profile is known.
        public var phoneNumber: String
        /// The value that the server or this device knows.
        public var emergencyNote: String
        /// nil without a picture.
        public var profilePictureURL: URL?

        /// The form is open.
        public var isEditing: Bool
        /// The text as typed; it is trimmed when it is saved.
        public var editingName: String
        /// The emergency note as it was typed.
        public var editingDescription: String
        /// Used by front ends that present a picker; a browser opens its own.
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
        /// The settings page or the sheet of another number; nil while both are closed.
        @Presents public var destination: Destination.State?
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
        /// The change comes along, because it is shown while it waits.
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
        case emailButtonTapped
        case signOutButtonTapped
        case signOutFailed(UserFacingError, waiting: [WaitingAction])
        case signOutSucceeded
        /// The words for its failure; nil when the account is gone.
        case accountDeletionEnded(UserFacingError?)
        case sessionEndingEnded(Result<SessionID, UserFacingError>)
        case dismissError

        case qrCode(PresentationAction<QRCodeFeature.Action>)
        case destination(PresentationAction<Destination.Action>)
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
                state.destination = .settings(
                    SettingsFeature.State(isDeletingAccount: state.isDeletingAccount))
                return .none
            case .changePhoneNumberButtonTapped:
                state.destination = .phoneNumberChange(PhoneNumberChangeFeature.State())
                return .none
            case .emailButtonTapped:
                state.destination = .emailAddress(EmailAddressFeature.State())
                return .none
            case .destination(
                .presented(.phoneNumberChange(.delegate(.phoneNumberChanged(let profile))))):
                state.show(profile)
                return .send(.delegate(.profileUpdated(profile)))
            case .destination(.presented(.settings(.delegate(.accountDeletionConfirmed)))):
                return deleteAccount(&state)
            case .accountDeletionEnded(let error):
                return accountDeletionEnded(error, &state)
            case .destination(.presented(.settings(.delegate(.sessionEndConfirmed(let id))))):
                return endSession(id)
            case .sessionEndingEnded(let result):
                return sessionEndingEnded(result, &state)
            case .dismissError:
                state.error = nil
                return .none
            case .signOutButtonTapped:
                if !state.isLoading { state.confirmSignOut = .signOut }
                return .none
            case .confirmSignOut(.presented(.signOutConfirmed)):
                return signOut(&state)
            case .confirmSignOut(.presented(.discardConfirmed)):
                return signOutDiscarding(&state)
            case .signOutFailed(let error, let waiting):
                return signOutFailed(error, waiting: waiting, &state)
            case .signOutSucceeded:
                state.isLoading = false
                return .send(.delegate(.signedOut))
            case .setImagePickerPresented(let isPresented):
                state.isImagePickerPresented = isPresented
                return .none
            case .imageSelected(let picture):
                return prepare(picture, &state)
            case .imageResponse(.success(let picture)):
                state.isLoading = false
                state.newProfilePicture = picture
                return .none
            case .updateProfilePicture:
                return state.newProfilePicture.map { upload($0, &state) } ?? .none
            case .removeProfilePictureButtonTapped:
                return removePicture(&state)
            case .profilePictureResponse(.success(let profile)):
                state.isLoading = false
                state.newProfilePicture = nil
                state.show(profile)
                return .send(.delegate(.profileUpdated(profile)))
            case .editButtonTapped:
                state.beginEditing()
                return .none
            case .editingNameChanged(let name):
                state.editingName = name
                return .none
            case .editingDescriptionChanged(let note):
                state.editingDescription = note
                return .none
            case .cancelEditButtonTapped:
                state.cancelEditing()
                return .none
            case .saveButtonTapped:
                return save(&state)
            case .saveResponse(.success(let submission), let name, let note):
                return saved(submission, name: name, note: note, &state)
            case .saveResponse(.failure(let error), _, _), .imageResponse(.failure(let error)),
                .profilePictureResponse(.failure(let error)):
                state.fail(error)
                return .none
            case .qrCode, .destination, .confirmSignOut(.dismiss), .delegate:
                return .none
            }
        }
        .ifLet(\.$qrCode, action: \.qrCode) { QRCodeFeature() }
        .ifLet(\.$destination, action: \.destination)
        .ifLet(\.$confirmSignOut, action: \.confirmSignOut)
    }
}

extension ProfileFeature.Destination.State: Equatable, Sendable {}
extension ProfileFeature.Destination.Action: Equatable, Sendable {}
