import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The sign-in lock and recovery codes (product.md, "Sign-in").
@Reducer
public struct SignInSecurityFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// nil until the server has answered.
        public var security: SignInSecurity?
        /// The codes that were just made. They can't be shown again.
        public var newCodes: [String]?
        /// The id of the request for codes. Kept until the person has stored them: if an answer or
        /// the page is lost, the person lacks the code that new ones need.
        public var codesRequest: UUID?
        /// True once the last request needs no repeat.
        public var isCodesRequestOver = false
        /// True for two seconds after the codes were copied.
        public var isCopied: Bool
        /// A typed recovery code, which turns the lock off at once and allows new codes.
        public var recoveryCode: String
        /// True while a change is being sent.
        public var isChanging: Bool
        public var error: UserFacingError?
        @Presents public var confirmation: ConfirmationAlertState<Action.Confirmation>?

        public init(
            security: SignInSecurity? = nil, newCodes: [String]? = nil, isCopied: Bool = false,
            recoveryCode: String = "", isChanging: Bool = false, error: UserFacingError? = nil
        ) {
            self.security = security
            self.newCodes = newCodes
            self.isCopied = isCopied
            self.recoveryCode = recoveryCode
            self.isChanging = isChanging
            self.error = error
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        /// Another device may have changed the lock or the codes, or a sign-in waits.
        case newsCame
        case loaded(Result<SignInSecurity, UserFacingError>)
        case retryButtonTapped
        /// Asks before it turns the lock on. Keeps an ending one on at once.
        case lockButtonTapped
        case unlockButtonTapped
        case stopWaitButtonTapped
        case changeResponse(Result<SignInSecurity, UserFacingError>)
        case recoveryCodeChanged(String)
        case makeCodesButtonTapped
        /// The browser has kept the id of a request from before a restart of the server.
        case codesRequestKept(String)
        case codesResponse(Result<[String], UserFacingError>)
        case copyButtonTapped
        case copyExpired
        /// The person has stored the codes.
        case doneButtonTapped
        case dismissError
        case confirmation(PresentationAction<Confirmation>)

        @CasePathable
        public enum Confirmation: Equatable, Sendable {
            case lockConfirmed
            case newCodesConfirmed
        }
    }

    @Dependency(\.continuousClock) private var clock
    @Dependency(\.signInSecurityClient) private var signInSecurityClient
    @Dependency(\.uuid) private var uuid

    private enum CancelID { case load, copied }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear, .retryButtonTapped:
                return load(&state)
            case .newsCame:
                return reload(state)
            case .onDisappear:
                state.isCopied = false
                return .merge(.cancel(id: CancelID.load), .cancel(id: CancelID.copied))
            case .loaded(.success(let security)):
                state.security = security
                return .none
            case .loaded(.failure(let error)):
                state.error = error
                return .none
            case .lockButtonTapped:
                guard !state.isChanging, let security = state.security else { return .none }
                guard security.isLocked else {
                    state.confirmation = .lock(recoveryCodes: security.recoveryCodes)
                    return .none
                }
                return change(&state) { try await $0.lock() }
            case .confirmation(.presented(.lockConfirmed)):
                return change(&state) { try await $0.lock() }
            case .unlockButtonTapped:
                let code = state.typedCode
                return change(&state) { try await $0.unlock(recoveryCode: code) }
            case .stopWaitButtonTapped:
                return change(&state) { try await $0.stopWait() }
            case .changeResponse(.success(let security)):
                state.isChanging = false
                state.recoveryCode = ""
                state.security = security
                return .none
            case .changeResponse(.failure(let error)), .codesResponse(.failure(let error)):
                state.isChanging = false
                state.error = error
                // The codes of this request were used or replaced.
                if error.has(.alreadyExists) { state.endCodesRequest() }
                return .none
            case .recoveryCodeChanged(let code):
                guard !state.isChanging else { return .none }
                state.recoveryCode = code
                state.error = nil
                return .none
            case .makeCodesButtonTapped:
                guard !state.isChanging, state.newCodes == nil else { return .none }
                guard state.security?.recoveryCodes == 0 else {
                    state.confirmation = .newCodes
                    return .none
                }
                return makeCodes(&state)
            case .codesRequestKept(let id):
                guard state.codesRequest == nil, !state.isCodesRequestOver else { return .none }
                state.codesRequest = UUID(uuidString: id)
                return .none
            case .confirmation(.presented(.newCodesConfirmed)):
                return makeCodes(&state)
            case .codesResponse(.success(let codes)):
                state.isChanging = false
                state.recoveryCode = ""
                state.newCodes = codes
                state.security?.recoveryCodes = codes.count
                return .none
            case .copyButtonTapped:
                guard state.newCodes != nil else { return .none }
                state.isCopied = true
                return .run { [clock] send in
                    try await clock.sleep(for: .seconds(2))
                    await send(.copyExpired)
                }
                .cancellable(id: CancelID.copied, cancelInFlight: true)
            case .copyExpired:
                state.isCopied = false
                return .none
            case .doneButtonTapped:
                state.newCodes = nil
                state.endCodesRequest()
                state.isCopied = false
                return .cancel(id: CancelID.copied)
            case .dismissError:
                // Otherwise the screen would say forever that it loads.
                guard state.security != nil else { return load(&state) }
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
        return .run { [signInSecurityClient] send in
            await send(.loaded(.userFacing { try await signInSecurityClient.security() }))
        }
        .cancellable(id: CancelID.load, cancelInFlight: true)
    }

    /// The person didn't request this load, so a failure is not shown.
    private func reload(_ state: State) -> Effect<Action> {
        // The first load and the answer to a change show the news themselves.
        guard state.security != nil, !state.isChanging else { return .none }
        return .run { [signInSecurityClient] send in
            guard let security = try? await signInSecurityClient.security() else { return }
            await send(.loaded(.success(security)))
        }
        .cancellable(id: CancelID.load, cancelInFlight: true)
    }

    /// Sends a change. The request continues when the screen disappears.
    private func change(
        _ state: inout State,
        _ work: @escaping @Sendable (SignInSecurityClient) async throws -> SignInSecurity
    ) -> Effect<Action> {
        guard !state.isChanging else { return .none }
        state.isChanging = true
        state.error = nil
        return .merge(
            // The answer of an earlier load lacks the change.
            .cancel(id: CancelID.load),
            .run { [signInSecurityClient] send in
                await send(.changeResponse(.userFacing { try await work(signInSecurityClient) }))
            })
    }

    private func makeCodes(_ state: inout State) -> Effect<Action> {
        guard !state.isChanging else { return .none }
        state.isChanging = true
        state.error = nil
        let request = state.codesRequest ?? uuid()
        (state.codesRequest, state.isCodesRequestOver) = (request, false)
        return .merge(
            .cancel(id: CancelID.load),
            .run { [signInSecurityClient, code = state.typedCode] send in
                await send(
                    .codesResponse(
                        .userFacing {
                            try await signInSecurityClient.makeCodes(
                                recoveryCode: code, request: request)
                        }))
            })
    }
}

extension ConfirmationAlertState<SignInSecurityFeature.Action.Confirmation> {
    static func lock(recoveryCodes: Int) -> Self {
        Self {
            TextState(SignInSecurityFeature.lockQuestion)
        } actions: {
            ButtonState(action: .lockConfirmed) { TextState("Turn it on") }
            ButtonState(role: .cancel) { TextState("Leave it off") }
        } message: {
            TextState(SignInSecurityFeature.lockWarning(recoveryCodes: recoveryCodes))
        }
    }

    static var newCodes: Self {
        Self {
            TextState("Make new recovery codes?")
        } actions: {
            ButtonState(role: .destructive, action: .newCodesConfirmed) {
                TextState("Make new codes")
            }
            ButtonState(role: .cancel) { TextState("Keep the old ones") }
        } message: {
            TextState("The old ones stop working at once.")
        }
    }
}

extension SignInSecurityFeature {
    public static let title = "Signing in"
    public static let lockHint =
        """
        With the sign-in lock, a code from a text message alone waits 7 days before it signs in. \
        Your devices are told, and each can stop it.
        """
    public static let lockedHint = "The sign-in lock is on."
    public static let lockWords = "Turn the sign-in lock on"
    public static let lockQuestion = "Turn the sign-in lock on?"
    /// - Parameter recoveryCodes: how many the person has.
    public static func lockWarning(recoveryCodes: Int) -> String {
        let rest =
            switch recoveryCodes {
            case 0: "You have no recovery codes."
            case 1: "You have 1 recovery code."
            default: "You have \(recoveryCodes) recovery codes."
            }
        return """
            Turning it off takes 7 days, or a recovery code that is at least 7 days old. Until \
            then, your own new device waits, too, unless you use a passkey or a recovery code. \
            \(rest)
            """
    }
    public static let keepLockWords = "Keep the sign-in lock on"
    public static let lockEndsTitle = "The sign-in lock ends"
    public static func waitWords(_ wait: SignInWait) -> String {
        let device = NotificationText.quoted(wait.deviceName) ?? "a device"
        return "Somebody has entered a code for your account, on \(device)."
    }
    public static let waitEndsTitle = "They can sign in from"
    public static let waitHint = "If that is not you, stop it."
    public static let stopWords = "Stop this sign-in"
    public static let codesTitle = "Recovery codes"
    public static let codesHint =
        """
        Each signs you in once with your phone number, without a text message and despite the \
        sign-in lock. Write them down, and keep them apart from your phone.
        """
    public static let newCodesTitle = "Your new recovery codes"
    public static let newCodesHint = "Write them down now: they are not shown again."
    public static let codeTitle = "A recovery code"
    public static let codeHint =
        """
        It turns the lock off at once, otherwise that takes 7 days. While the lock is on, new \
        codes need an old one. Codes that were made less than 7 days ago can’t turn the lock off \
        yet, and can be replaced without an old one.
        """
}

extension SignInSecurityFeature.State {
    fileprivate mutating func endCodesRequest() {
        (codesRequest, isCodesRequestOver) = (nil, true)
    }

    /// The typed recovery code; nil for none.
    var typedCode: String? {
        let code = recoveryCode.trimmingCharacters(in: .whitespacesAndNewlines)
        return code.isEmpty ? nil : code
    }

    public var unlockWords: String {
        isChanging ? "Sending …" : "Turn the sign-in lock off"
    }
    public var makeWords: String {
        if isChanging { return "Sending …" }
        return security?.recoveryCodes == 0 ? "Make recovery codes" : "Make new recovery codes"
    }
    public var copyWords: String { isCopied ? "Copied" : "Copy the codes" }
    public var leftWords: String {
        let left = security?.recoveryCodes ?? 0
        return left == 0 ? "You have none." : "\(left) of \(RecoveryCodeRules.count) are left."
    }
    /// The new codes as text for the clipboard, one a line.
    public var copiedText: String { (newCodes ?? []).joined(separator: "\n") }
}
