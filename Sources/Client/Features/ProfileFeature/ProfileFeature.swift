import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The user's own profile, and the sign-out (seed 003 in Docs/features.md).
@Reducer
public struct ProfileFeature: Sendable {
    /// The part of the profile that is open. The QR code and the question before the sign-out are
    /// separate properties, because seed 003 names them.
    @Reducer
    public enum Destination {
        case settings(SettingsFeature)
        case phoneNumberChange(PhoneNumberChangeFeature)
        case emailAddress(EmailAddressFeature)
    }

    @ObservableState
    public struct State: Equatable, Sendable {
        public var name: String
        /// In E.164; empty until the profile is known.
        public var phoneNumber: String
        public var emergencyNote: String
        public var profilePictureURL: URL?
        /// True if the server keeps a copy with Google. False until the profile is known.
        public var copiesToGoogle = false
        public var leavesNoteOutOfCopy = false

        public var isEditing: Bool
        /// Trimmed when it is saved.
        public var editingName: String
        /// The emergency note as typed.
        public var editingDescription: String
        /// True while the picker for pictures is presented. A browser opens its own.
        public var isImagePickerPresented: Bool
        /// The chosen picture until it is saved. It is small and has no metadata.
        public var newProfilePicture: Data?

        public var isLoading: Bool
        public var error: UserFacingError?

        @Presents public var qrCode: QRCodeFeature.State?
        @Presents public var confirmSignOut: ConfirmationAlertState<Action.SignOutConfirmation>?
        /// The settings page or a sheet; nil while all are closed.
        @Presents public var destination: Destination.State?
        /// True while the account is being deleted, even if the page is closed.
        var isDeletingAccount = false
        public var waiting: [WaitingAction]
        /// What continues after a sign-out. The main tabs set the alerts.
        var unfinished = Unfinished()

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
        /// The answer to saving, with the edited texts, which are shown while they are queued.
        case saveResponse(
            Result<Submission<UserProfile>, UserFacingError>, name: String, emergencyNote: String)
        case leaveNoteOutToggled
        /// The answer to the switch, with its new value, which is shown while it is queued.
        case leaveNoteOutResponse(
            Result<Submission<UserProfile>, UserFacingError>, leavesOut: Bool)

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
        /// The sign-in lock is on, or, with nil, not known.
        case lockLoaded(LockedSignIn?)
        case signOutFailed(UserFacingError, waiting: [WaitingAction])
        /// Signed out, with the actions that are kept unsent.
        case signOutSucceeded([WaitingAction])
        /// The deletion has ended; nil means success.
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
            /// Signs out and discards the actions that the question named, by their ids.
            case discardConfirmed(Set<UUID>)
        }

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            /// The person has signed out, with the actions that are kept unsent.
            case signedOut([WaitingAction])
            case accountDeleted
            case profileUpdated(UserProfile)
            case codeScanned(String)
        }
    }

    @Dependency(\.authClient) private var authClient
    @Dependency(\.connectivityClient) private var connectivityClient
    @Dependency(\.date) private var date
    @Dependency(\.imageClient) private var imageClient
    @Dependency(\.passkeyClient) private var passkeyClient
    @Dependency(\.serverClock) private var serverClock
    @Dependency(\.signInSecurityClient) private var signInSecurityClient
    @Dependency(\.storageClient) private var storageClient
    @Dependency(\.phoneCountry) private var phoneCountry
    @Dependency(\.userClient) private var userClient
    @Dependency(\.uuid) private var uuid

    private enum CancelID { case streams, command, picture, lock }

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
                state.destination = .phoneNumberChange(
                    PhoneNumberChangeFeature.State(country: phoneCountry))
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
                guard !state.isLoading else { return .none }
                state.unfinished.locked = nil
                state.unfinished.isLockUnknown = false
                askToSignOut(&state)
                return loadLock()
            case .lockLoaded(let locked):
                state.unfinished.locked = locked
                state.unfinished.isLockUnknown = locked == nil
                // Another question may be open meanwhile, or none.
                let choice = state.confirmSignOut?.buttons.first?.action.action
                if choice == .signOutConfirmed { askToSignOut(&state) }
                return .none
            case .confirmSignOut(.presented(.signOutConfirmed)):
                return signOut(&state)
            case .confirmSignOut(.presented(.discardConfirmed(let ids))):
                return signOutDiscarding(ids, &state)
            case .signOutFailed(let error, let waiting):
                return signOutFailed(error, waiting: waiting, &state)
            case .signOutSucceeded(let unsent):
                state.isLoading = false
                return .send(.delegate(.signedOut(unsent)))
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
            case .leaveNoteOutToggled:
                return toggleLeavingNoteOut(&state)
            case .leaveNoteOutResponse(.success(let submission), let leavesOut):
                state.isLoading = false
                state.leavesNoteOutOfCopy = leavesOut
                guard let profile = submission.confirmed else { return .none }
                state.show(profile)
                return .send(.delegate(.profileUpdated(profile)))
            case .saveResponse(.failure(let error), _, _), .imageResponse(.failure(let error)),
                .profilePictureResponse(.failure(let error)),
                .leaveNoteOutResponse(.failure(let error), _):
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

extension ProfileFeature {
    private func saved(
        _ submission: Submission<UserProfile>, name: String, note: String, _ state: inout State
    ) -> Effect<Action> {
        state.isLoading = false
        // The form stays open if the person has typed since the tap.
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

    /// Sends only edited fields, so that a new name never overwrites a note from another device.
    private func save(_ state: inout State) -> Effect<Action> {
        guard state.canSaveProfile, state.begin() else { return .none }
        do {
            let isSame = state.trimmedName == state.name
            let name = isSame ? state.name : try ProfileRules.name(state.editingName)
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

    private func toggleLeavingNoteOut(_ state: inout State) -> Effect<Action> {
        let leavesOut = !state.leavesNoteOutOfCopy
        guard state.begin() else { return .none }
        return .run { send in
            let result = await Result.userFacing {
                try await userClient.setLeavesNoteOutOfCopy(leavesOut: leavesOut)
            }
            await send(.leaveNoteOutResponse(result, leavesOut: leavesOut))
        }
        .cancellable(id: CancelID.command)
    }

    private func prepare(_ picture: Data?, _ state: inout State) -> Effect<Action> {
        state.isImagePickerPresented = false
        guard let picture, state.begin() else { return .none }
        return .run { send in
            await send(
                .imageResponse(.userFacing { try await imageClient.prepare(picture: picture) }))
        }
        .cancellable(id: CancelID.picture)
    }

    private func removePicture(_ state: inout State) -> Effect<Action> {
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

/// Commands of the settings page. They run here, because closing the page cancels its effects.
extension ProfileFeature {
    private func deleteAccount(_ state: inout State) -> Effect<Action> {
        guard !state.isDeletingAccount else { return .none }
        state.isDeletingAccount = true
        let code = state.settings?.deletionCode
        return .run { send in
            do {
                try await userClient.deleteAccount(code: code)
                await send(.accountDeletionEnded(nil))
            } catch {
                await send(.accountDeletionEnded(UserFacingError(catching: error)))
            }
        }
    }

    private func accountDeletionEnded(_ error: UserFacingError?, _ state: inout State) -> Effect<
        Action
    > {
        state.isDeletingAccount = false
        guard let error else { return .send(.delegate(.accountDeleted)) }
        guard state.settings == nil else {
            return .send(.destination(.presented(.settings(.deleteAccountFailed(error)))))
        }
        state.error = error
        return .none
    }

    private func endSession(_ id: SessionID) -> Effect<Action> {
        .run { send in
            let result = await Result.userFacing {
                try await authClient.endSession(id: id)
                return id
            }
            await send(.sessionEndingEnded(result))
        }
    }

    private func sessionEndingEnded(
        _ result: Result<SessionID, UserFacingError>, _ state: inout State
    ) -> Effect<Action> {
        guard state.settings == nil else {
            return .send(.destination(.presented(.settings(.endSessionResponse(result)))))
        }
        if case .failure(let error) = result { state.error = error }
        return .none
    }
}

/// The sign-out. It asks before it discards queued actions.
extension ProfileFeature {
    private func askToSignOut(_ state: inout State) {
        let words = state.signOutWords { serverClock.time(at: date.now) }
        state.confirmSignOut = .signOut(words)
    }

    private func loadLock() -> Effect<Action> {
        .run { [passkeyClient, signInSecurityClient] send in
            do {
                guard
                    let locked = try await LockedSignIn.load(signInSecurityClient, passkeyClient)
                else { return }
                await send(.lockLoaded(locked))
            } catch {
                await send(.lockLoaded(nil))
            }
        }
        .cancellable(id: CancelID.lock, cancelInFlight: true)
    }

    private func signOut(_ state: inout State) -> Effect<Action> {
        guard state.begin() else { return .none }
        return .run { send in
            do {
                let unsent = try await authClient.signOut()
                await send(.signOutSucceeded(unsent))
            } catch {
                let waiting = await connectivityClient.status().first { _ in true }?.waiting ?? []
                await send(.signOutFailed(UserFacingError(catching: error), waiting: waiting))
            }
        }
        .cancellable(id: CancelID.command)
    }

    private func signOutDiscarding(_ ids: Set<UUID>, _ state: inout State) -> Effect<Action> {
        guard state.begin() else { return .none }
        return .run { send in
            let unsent = await authClient.signOutDiscardingQueue(ids: ids)
            await send(.signOutSucceeded(unsent))
        }
        .cancellable(id: CancelID.command)
    }

    private func signOutFailed(
        _ error: UserFacingError, waiting: [WaitingAction], _ state: inout State
    ) -> Effect<Action> {
        guard !waiting.isEmpty else {
            state.fail(error)
            return .none
        }
        state.isLoading = false
        state.waiting = waiting
        state.confirmSignOut = .discard(waiting)
        return .none
    }
}

extension ProfileFeature.State {
    public var canSaveProfile: Bool {
        !trimmedName.isEmpty && (trimmedName != name || editingDescription != emergencyNote)
    }

    public var displayName: String { name.isEmpty ? "User" : name }
    public var hasProfilePicture: Bool { profilePictureURL != nil || newProfilePicture != nil }
    public var isWaitingToBeSent: Bool { waiting.contains { $0.kind == .updateProfile } }

    fileprivate var trimmedName: String { ProfileRules.trimmedName(editingName) }

    /// Shows a newer profile, but keeps fields that the person has edited. Saving old values of
    /// other fields would undo another device's change.
    mutating func show(_ profile: UserProfile) {
        if isEditing, editingName == name { editingName = profile.name }
        if isEditing, editingDescription == emergencyNote {
            editingDescription = profile.emergencyNote
        }
        name = profile.name
        phoneNumber = profile.phoneNumber.text
        emergencyNote = profile.emergencyNote
        profilePictureURL = profile.profilePictureURL
        copiesToGoogle = profile.copiesToGoogle ?? false
        leavesNoteOutOfCopy = profile.leavesNoteOutOfCopy ?? false
        let (locked, isLockUnknown) = (unfinished.locked, unfinished.isLockUnknown)
        unfinished = Unfinished(profile, alerts: unfinished.alerts)
        unfinished.locked = locked
        unfinished.isLockUnknown = isLockUnknown
    }

    /// The question before the sign-out. Before the profile is known, there may be a deadline.
    func signOutWords(at now: () -> Date) -> String {
        let isKnown = !phoneNumber.isEmpty
        let sentences =
            ["This device forgets your profile, contacts and history."]
            + unfinished.sentences(at: now) + (isKnown ? [] : [unfinished.deadlineWords])
        return sentences.joined(separator: " ")
    }

    public var settings: SettingsFeature.State? {
        if case .settings(let settings) = destination { settings } else { nil }
    }

    public var phoneNumberChange: PhoneNumberChangeFeature.State? {
        if case .phoneNumberChange(let change) = destination { change } else { nil }
    }

    public var emailAddress: EmailAddressFeature.State? {
        if case .emailAddress(let email) = destination { email } else { nil }
    }

    fileprivate mutating func beginEditing() {
        isEditing = true
        editingName = name
        editingDescription = emergencyNote
    }

    /// Closes the form, unless a save is in flight. The answer to the save then closes the form.
    fileprivate mutating func cancelEditing() {
        guard !isLoading else { return }
        isEditing = false
        newProfilePicture = nil
        error = nil
    }

    /// Marks an operation as running. Returns false while another operation runs, so that a second
    /// tap does nothing.
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

    /// True if the refusal is about the name; false if it is about the note.
    public var isNameRefused: Bool {
        if let error, RefusalWords.names.contains(where: { error.message.hasPrefix($0.message) }) {
            return true
        }
        return (name.isEmpty || trimmedName != name)
            && (try? ProfileRules.name(editingName)) == nil
    }

    public var waitingWords: String? {
        isWaitingToBeSent ? "A change of your profile is waiting to be sent." : nil
    }
    public var pictureWords: String {
        profilePictureURL == nil ? "Add a picture" : "Change picture"
    }
    public var saveWords: String { isLoading ? "Saving …" : "Save" }
}

extension ProfileFeature {
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
