import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The person's passkeys (product.md, "Sign-in"). The front end makes a passkey when
/// `request` is set, and answers with `passkeyMade`.
@Reducer
public struct PasskeysFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The oldest first; nil until the server has answered.
        public var passkeys: [Passkey]?
        /// What the device needs to make a passkey; nil while none is being made.
        public var request: PasskeyRequest?
        public var isAdding: Bool
        /// The passkey that is being renamed.
        public var renaming: PasskeyID?
        public var name: String
        /// True while a name or a removal is being sent.
        public var isChanging: Bool
        public var error: UserFacingError?
        @Presents public var confirmation: ConfirmationAlertState<Action.Confirmation>?

        public init(
            passkeys: [Passkey]? = nil, request: PasskeyRequest? = nil, isAdding: Bool = false,
            renaming: PasskeyID? = nil, name: String = "", isChanging: Bool = false,
            error: UserFacingError? = nil
        ) {
            self.passkeys = passkeys
            self.request = request
            self.isAdding = isAdding
            self.renaming = renaming
            self.name = name
            self.isChanging = isChanging
            self.error = error
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        case loaded(Result<[Passkey], UserFacingError>)
        case retryButtonTapped
        case addButtonTapped
        case requestLoaded(Result<PasskeyRequest, UserFacingError>)
        case passkeyMade(Result<PasskeyRegistration, UserFacingError>)
        case addResponse(Result<Passkey, UserFacingError>)
        case renameButtonTapped(PasskeyID)
        case nameChanged(String)
        case saveNameButtonTapped
        case cancelNameButtonTapped
        case renameResponse(Result<Passkey, UserFacingError>)
        case removeButtonTapped(PasskeyID)
        case removeResponse(PasskeyID, UserFacingError?)
        case dismissError
        case confirmation(PresentationAction<Confirmation>)

        @CasePathable
        public enum Confirmation: Equatable, Sendable {
            case removalConfirmed(PasskeyID)
        }
    }

    @Dependency(\.passkeyClient) private var passkeyClient

    private enum CancelID { case load, request }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear, .retryButtonTapped:
                return load(&state)
            case .onDisappear:
                state.request = nil
                return .merge(.cancel(id: CancelID.load), .cancel(id: CancelID.request))
            case .loaded(.success(let passkeys)):
                state.passkeys = passkeys
                return .none
            case .addButtonTapped:
                guard !state.isAdding else { return .none }
                state.request = nil
                state.error = nil
                return .run { [passkeyClient] send in
                    await send(
                        .requestLoaded(.userFacing { try await passkeyClient.newPasskeyRequest() }))
                }
                .cancellable(id: CancelID.request, cancelInFlight: true)
            case .requestLoaded(.success(let request)):
                state.request = request
                return .none
            case .passkeyMade(.success(let registration)):
                guard state.request != nil, !state.isAdding else { return .none }
                state.request = nil
                state.isAdding = true
                return .run { [passkeyClient] send in
                    await send(
                        .addResponse(
                            .userFacing {
                                try await passkeyClient.add(registration: registration)
                            }))
                }
            case .addResponse(.success(let passkey)):
                state.isAdding = false
                state.passkeys = (state.passkeys ?? []) + [passkey]
                // The answer of an earlier load lacks the new passkey.
                return .cancel(id: CancelID.load)
            case .loaded(.failure(let error)), .requestLoaded(.failure(let error)),
                .passkeyMade(.failure(let error)), .addResponse(.failure(let error)):
                state.request = nil
                state.isAdding = false
                state.error = error
                return .none
            case .renameButtonTapped(let id):
                guard !state.isChanging,
                    let passkey = state.passkeys?.first(where: { $0.id == id })
                else { return .none }
                state.renaming = id
                state.name = passkey.name
                return .none
            case .nameChanged(let name):
                guard !state.isChanging else { return .none }
                state.name = name
                return .none
            case .saveNameButtonTapped:
                return rename(&state)
            case .cancelNameButtonTapped:
                guard !state.isChanging else { return .none }
                state.renaming = nil
                return .none
            case .renameResponse(.success(let passkey)):
                state.isChanging = false
                state.renaming = nil
                state.passkeys = state.passkeys?.map { $0.id == passkey.id ? passkey : $0 }
                return .none
            case .renameResponse(.failure(let error)):
                state.isChanging = false
                state.error = error
                return .none
            case .removeButtonTapped(let id):
                guard !state.isChanging,
                    let passkey = state.passkeys?.first(where: { $0.id == id })
                else { return .none }
                state.confirmation = .removal(of: passkey)
                return .none
            case .confirmation(.presented(.removalConfirmed(let id))):
                return remove(id, &state)
            case .removeResponse(let id, let error):
                state.isChanging = false
                // "not-found" means that another device has removed it, as the user wanted.
                if let error, !error.has(.notFound) {
                    state.error = error
                } else {
                    state.passkeys?.removeAll { $0.id == id }
                }
                return .none
            case .dismissError:
                // Otherwise the screen would say forever that it loads.
                guard state.passkeys != nil else { return load(&state) }
                state.error = nil
                return .none
            case .confirmation(.dismiss):
                return .none
            }
        }
        .ifLet(\.$confirmation, action: \.confirmation)
    }

    private func load(_ state: inout State) -> Effect<Action> {
        state.error = nil
        return .run { [passkeyClient] send in
            await send(.loaded(.userFacing { try await passkeyClient.passkeys() }))
        }
        .cancellable(id: CancelID.load, cancelInFlight: true)
    }

    private func rename(_ state: inout State) -> Effect<Action> {
        guard !state.isChanging, let id = state.renaming else { return .none }
        guard let name = try? PasskeyRules.name(state.name) else {
            state.error = .passkeyName
            return .none
        }
        state.isChanging = true
        state.error = nil
        return .run { [passkeyClient] send in
            await send(
                .renameResponse(
                    .userFacing { try await passkeyClient.rename(id: id, name: name) }))
        }
    }

    private func remove(_ id: PasskeyID, _ state: inout State) -> Effect<Action> {
        guard !state.isChanging else { return .none }
        state.isChanging = true
        state.error = nil
        return .run { [passkeyClient] send in
            do {
                try await passkeyClient.remove(id: id)
                await send(.removeResponse(id, nil))
            } catch {
                await send(.removeResponse(id, UserFacingError(catching: error)))
            }
        }
    }
}

extension ConfirmationAlertState<PasskeysFeature.Action.Confirmation> {
    static func removal(of passkey: Passkey) -> Self {
        Self {
            TextState("Remove the passkey “\(passkey.name)”?")
        } actions: {
            ButtonState(role: .destructive, action: .removalConfirmed(passkey.id)) {
                TextState("Remove")
            }
            ButtonState(role: .cancel) { TextState("Keep it") }
        } message: {
            TextState("It no longer signs you in. Remove it from your device, too.")
        }
    }
}

extension UserFacingError {
    static let passkeyName = UserFacingError(
        title: "We could not rename the passkey", message: RefusalWords.passkeyName.message,
        recoverySuggestion: RefusalWords.passkeyName.suggestion, code: .invalidArgument)

    /// The person has cancelled, or the device has no passkey for this server.
    public static let noPasskeyGiven = UserFacingError(
        title: "No passkey was used", message: "Your device gave no passkey.",
        recoverySuggestion: "Try again, or use a code.", code: "no-passkey")

    /// The device can't use passkeys here, for example because it has no screen lock.
    public static let passkeysUnsupported = UserFacingError(
        title: "Passkeys can’t be used here",
        message: "This device or this address of the server has no passkeys.",
        recoverySuggestion: "Use a code, or another device.", code: "passkeys-unsupported")

    /// The device has a passkey of this account.
    public static let passkeyIsThere = UserFacingError(
        title: "This device has a passkey", message: "A second one would not help.",
        recoverySuggestion: "Add one on another device.", code: "passkey-is-there")
}

extension PasskeysFeature {
    public static let title = "Passkeys"
    public static let hint =
        """
        A passkey signs you in with your fingerprint, face or PIN, without a text message and \
        despite the sign-in lock.
        """
    public static let nameTitle = "Name of the passkey"
    public static let noPasskeys = "None yet."
    public static let added = "This device has a passkey."
}

extension PasskeysFeature.State {
    public var addWords: String { isAdding ? "Adding …" : "Add a passkey" }
    public var isFull: Bool { (passkeys?.count ?? 0) >= PasskeyRules.limit }
}
