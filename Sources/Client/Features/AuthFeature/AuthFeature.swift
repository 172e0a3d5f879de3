import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Sign-in: a phone number, then the code that was sent to it.
@Reducer
public struct AuthFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The number as typed, with or without spaces, hyphens and a leading `00`.
        public var phoneNumber: String
        /// For a number that is typed without a country code.
        public var country: PhoneCountry?
        /// False at first, because a short menu of countries keeps the page small.
        public var showsAllCountries = false
        /// The name of the person whose link was opened.
        public var inviter: String?
        /// The link that was opened. The server may hide the name of its owner.
        public var inviterCode: String?
        /// The operator's token, from a link that was opened.
        public var token: String?
        /// What the server has said about signing in; nil before.
        public var options: SignInOptions?
        /// At most six digits, kept when the network fails.
        public var verificationCode: String
        /// As typed, in place of a code that was sent.
        public var recoveryCode = ""
        /// What the device needs to sign in by a passkey. The front end then answers with
        /// `passkeyAnswered`.
        public var passkeyRequest: PasskeyRequest?
        public var step: Step
        public var resendAvailableAt: Date?
        public var attemptsLeft: Int
        public var isLoading: Bool
        public var error: UserFacingError?
        /// A number in doubt. Sending the same number again confirms it.
        var numberInDoubt: String?

        public init(
            phoneNumber: String = "", country: PhoneCountry? = nil, inviter: String? = nil,
            inviterCode: String? = nil, token: String? = nil, options: SignInOptions? = nil,
            verificationCode: String = "", step: Step = .phoneNumber,
            resendAvailableAt: Date? = nil,
            attemptsLeft: Int = SignInRules.triesPerCode, isLoading: Bool = false,
            error: UserFacingError? = nil
        ) {
            self.phoneNumber = phoneNumber
            self.country = country
            self.inviter = inviter
            self.inviterCode = inviterCode
            self.token = token
            self.options = options
            self.verificationCode = verificationCode
            self.step = step
            self.resendAvailableAt = resendAvailableAt
            self.attemptsLeft = attemptsLeft
            self.isLoading = isLoading
            self.error = error
        }

        public var canVerify: Bool {
            codeSentTo != nil && !isLoading && attemptsLeft > 0
                && (try? SignInRules.code(verificationCode)) != nil
        }
        public var canResend: Bool { codeSentTo != nil && !isLoading && resendAvailableAt == nil }

        public var canRecover: Bool {
            guard case .recoveryCode = step else { return false }
            return !isLoading && !recoveryCode.isEmpty
        }

        public var codeSentTo: PhoneNumber? {
            if case .code(let number) = step { number } else { nil }
        }
    }

    public enum Step: Equatable, Sendable {
        case phoneNumber
        case code(sentTo: PhoneNumber)
        /// - `number`: as `PhoneNumber.digits(typed:)` has returned it.
        case recoveryCode(number: String)
    }

    public enum Action: Equatable, Sendable {
        case phoneNumberChanged(String)
        case countryChosen(PhoneCountry?)
        case otherCountryButtonTapped
        case inviterFound(String)
        case optionsLoaded(SignInOptions)
        /// A link with the operator's token was opened.
        case tokenOpened(String)
        case sendCodeButtonTapped
        case resendCodeButtonTapped
        case sendCodeResponse(Result<PhoneNumber, UserFacingError>)
        case joinResponse(Result<Admission, UserFacingError>)
        case resendCountdownEnded
        /// A complete code is sent at once.
        case verificationCodeChanged(String)
        case verifyButtonTapped
        case verifyResponse(Result<SignedIn, UserFacingError>)
        case passkeyButtonTapped
        case passkeyRequestLoaded(Result<PasskeyRequest, UserFacingError>)
        case passkeyAnswered(Result<PasskeyAssertion, UserFacingError>)
        case passkeyResponse(Result<SignedIn, UserFacingError>)
        case recoveryButtonTapped
        case recoveryCodeChanged(String)
        case recoverButtonTapped
        case recoverResponse(Result<SignedIn, UserFacingError>)
        case changePhoneNumberButtonTapped
        case onDisappear
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case signedIn(SignedIn)
        }
    }

    @Dependency(\.authClient) private var authClient
    @Dependency(\.continuousClock) private var clock
    @Dependency(\.date) private var date
    @Dependency(\.passkeyClient) private var passkeyClient

    private enum CancelID { case request, countdown }

    /// The errors after which a token is of no more use.
    private static let deadTokens: [InvalidInputReason] = [
        .tokenUnknown, .tokenUsedUp, .tokenExpired, .tokenRevoked, .signUpClosed,
    ]

    /// The errors of the sign-in lock.
    private static let heldBack: [InvalidInputReason] = [.signInWaits, .signInStopped]

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .phoneNumberChanged(let text):
                guard state.step == .phoneNumber, !state.isLoading else { return .none }
                state.phoneNumber = text
                state.error = nil
                return .none

            case .countryChosen(let country):
                guard state.step == .phoneNumber, !state.isLoading else { return .none }
                state.country = country
                state.error = nil
                state.numberInDoubt = nil
                return .none

            case .otherCountryButtonTapped:
                state.showsAllCountries = true
                return .none

            case .inviterFound(let name):
                state.inviter = name
                return .none

            case .optionsLoaded(let options):
                state.options = options
                return .none

            case .tokenOpened(let token):
                state.token = token
                // The running request may sign in, and then needs its answer.
                return state.isLoading ? .none : startAgain(&state)

            case .sendCodeButtonTapped:
                return sendFirstCode(&state)

            case .resendCodeButtonTapped:
                guard state.canResend, let number = state.codeSentTo else { return .none }
                return sendCode(to: number.text, isConfirmed: true, &state)

            case .sendCodeResponse(.success(let number)),
                .joinResponse(.success(.codeSent(let number))):
                return codeSent(to: number, &state)

            case .sendCodeResponse(.failure(let error)), .joinResponse(.failure(let error)):
                return sendingFailed(error, &state)

            case .resendCountdownEnded:
                state.resendAvailableAt = nil
                return .none

            case .verificationCodeChanged(let text):
                return codeChanged(text, &state)

            case .verifyButtonTapped:
                return verify(&state)

            case .verifyResponse(.success(let signedIn)),
                .recoverResponse(.success(let signedIn)),
                .passkeyResponse(.success(let signedIn)),
                .joinResponse(.success(.signedIn(let signedIn))):
                return self.signedIn(signedIn, &state)

            case .verifyResponse(.failure(let error)):
                return verifyingFailed(error, &state)

            case .passkeyButtonTapped:
                return requestPasskey(&state)

            case .passkeyRequestLoaded(.success(let request)):
                state.passkeyRequest = request
                return .none

            case .passkeyAnswered(.success(let assertion)):
                return signIn(by: assertion, &state)

            case .passkeyRequestLoaded(.failure(let error)),
                .passkeyAnswered(.failure(let error)), .passkeyResponse(.failure(let error)):
                state.passkeyRequest = nil
                state.isLoading = false
                state.error = error
                return .none

            case .recoveryButtonTapped:
                return askForRecoveryCode(&state)

            case .recoveryCodeChanged(let code):
                guard !state.isLoading else { return .none }
                state.recoveryCode = code
                state.error = nil
                return .none

            case .recoverButtonTapped:
                return recover(&state)

            case .recoverResponse(.failure(let error)):
                state.isLoading = false
                state.error = error
                return .none

            case .changePhoneNumberButtonTapped:
                // The running request may sign in. Without its answer, this screen would stay.
                return state.isLoading ? .none : startAgain(&state)

            case .onDisappear:
                state.isLoading = false
                state.resendAvailableAt = nil
                // Otherwise the device would ask for a passkey when the screen appears again.
                state.passkeyRequest = nil
                return cancelAll

            case .dismissError:
                state.error = nil
                return .none

            case .delegate:
                return .none
            }
        }
    }

    /// Keeps what leads to a sign-in, and clears the rest.
    private func startAgain(_ state: inout State) -> Effect<Action> {
        state = State(
            phoneNumber: state.phoneNumber, country: state.country, inviter: state.inviter,
            inviterCode: state.inviterCode, token: state.token, options: state.options)
        return cancelAll
    }

    private var cancelAll: Effect<Action> {
        .merge(.cancel(id: CancelID.request), .cancel(id: CancelID.countdown))
    }

    private func signedIn(_ signedIn: SignedIn, _ state: inout State) -> Effect<Action> {
        state.isLoading = false
        state.verificationCode = ""
        state.recoveryCode = ""
        state.resendAvailableAt = nil
        return .merge(.cancel(id: CancelID.countdown), .send(.delegate(.signedIn(signedIn))))
    }

    // MARK: A code that is sent

    private func sendFirstCode(_ state: inout State) -> Effect<Action> {
        guard state.step == .phoneNumber, !state.isLoading else { return .none }
        do {
            let number = try PhoneNumber.digits(typed: state.phoneNumber, in: state.country)
            return sendCode(to: number, &state)
        } catch {
            state.error = UserFacingError(catching: error)
            return .none
        }
    }

    private func sendCode(
        to number: String, isConfirmed: Bool? = nil, _ state: inout State
    ) -> Effect<Action> {
        let isConfirmed = isConfirmed ?? (state.numberInDoubt == state.phoneNumber)
        state.isLoading = true
        state.error = nil
        let (token, inviterCode, known) = (state.token, state.inviterCode, state.options)
        return .run { [authClient] send in
            var options = known
            // Without the options it isn't known whether the server accepts the inviter's code.
            if options == nil, inviterCode != nil {
                options = await authClient.signInOptions()
                if let options { await send(.optionsLoaded(options)) }
            }
            let pass = Self.pass(token: token, inviterCode: inviterCode, on: options)
            if let pass {
                await send(
                    .joinResponse(
                        .userFacing {
                            try await authClient.join(
                                phoneNumber: number, isConfirmed: isConfirmed, pass: pass)
                        }))
                return
            }
            await send(
                .sendCodeResponse(
                    .userFacing {
                        try await authClient.sendCode(
                            phoneNumber: number, isConfirmed: isConfirmed)
                    }))
        }
        .cancellable(id: CancelID.request, cancelInFlight: true)
    }

    /// Returns what the person shows to open an account; nil for a plain sign-in.
    private static func pass(
        token: String?, inviterCode: String?, on options: SignInOptions?
    ) -> SignUpPass? {
        // Only a server that asks for invitations is sure to know inviters' codes.
        let inviterCode = options?.signUp == .invited ? inviterCode : nil
        guard token != nil || inviterCode != nil else { return nil }
        return SignUpPass(token: token, inviterCode: inviterCode)
    }

    private func codeSent(to number: PhoneNumber, _ state: inout State) -> Effect<Action> {
        state.isLoading = false
        state.step = .code(sentTo: number)
        state.verificationCode = ""
        state.attemptsLeft = SignInRules.triesPerCode
        return countDown(&state)
    }

    private func sendingFailed(_ error: UserFacingError, _ state: inout State) -> Effect<Action> {
        state.isLoading = false
        state.error = error
        // The person can then sign in without the link.
        if Self.deadTokens.contains(where: { $0.rawValue == error.code }) {
            state.token = nil
        }
        state.numberInDoubt =
            error.code == UserFacingError.numberInDoubt ? state.phoneNumber : nil
        return .none
    }

    private func countDown(_ state: inout State) -> Effect<Action> {
        state.resendAvailableAt = date.now.adding(SignInRules.resendDelay)
        return .run { [clock] send in
            try await clock.sleep(for: SignInRules.resendDelay)
            await send(.resendCountdownEnded)
        }
        .cancellable(id: CancelID.countdown, cancelInFlight: true)
    }

    private func codeChanged(_ text: String, _ state: inout State) -> Effect<Action> {
        guard state.codeSentTo != nil, !state.isLoading else { return .none }
        let code = SignInRules.code(typed: text)
        guard code != state.verificationCode else { return .none }
        state.verificationCode = code
        state.error = nil
        return state.canVerify ? verify(&state) : .none
    }

    private func verify(_ state: inout State) -> Effect<Action> {
        guard state.canVerify, let number = state.codeSentTo else { return .none }
        state.isLoading = true
        state.error = nil
        return .run { [authClient, code = state.verificationCode] send in
            await send(
                .verifyResponse(
                    .userFacing {
                        try await authClient.signIn(phoneNumber: number.text, code: code)
                    }))
        }
        .cancellable(id: CancelID.request, cancelInFlight: true)
    }

    private func verifyingFailed(_ error: UserFacingError, _ state: inout State) -> Effect<Action> {
        state.isLoading = false
        state.error = error
        if Self.heldBack.contains(where: { $0.rawValue == error.code }) {
            // The code was right, and is used up.
            state.verificationCode = ""
        }
        // A refused code uses up a try and is cleared. A connection failure does neither.
        guard error.has(.unauthenticated) else { return .none }
        state.verificationCode = ""
        state.attemptsLeft = max(0, state.attemptsLeft - 1)
        return .none
    }

    // MARK: A passkey

    private func requestPasskey(_ state: inout State) -> Effect<Action> {
        guard !state.isLoading else { return .none }
        state.passkeyRequest = nil
        state.error = nil
        return .run { [passkeyClient] send in
            await send(
                .passkeyRequestLoaded(.userFacing { try await passkeyClient.signInRequest() }))
        }
        .cancellable(id: CancelID.request, cancelInFlight: true)
    }

    private func signIn(
        by assertion: PasskeyAssertion, _ state: inout State
    ) -> Effect<Action> {
        guard state.passkeyRequest != nil, !state.isLoading else { return .none }
        state.passkeyRequest = nil
        state.isLoading = true
        return .run { [passkeyClient] send in
            await send(
                .passkeyResponse(
                    .userFacing { try await passkeyClient.signIn(assertion: assertion) }))
        }
        .cancellable(id: CancelID.request, cancelInFlight: true)
    }

    // MARK: A recovery code

    private func askForRecoveryCode(_ state: inout State) -> Effect<Action> {
        guard !state.isLoading else { return .none }
        do {
            let number =
                try state.codeSentTo?.text
                ?? PhoneNumber.digits(typed: state.phoneNumber, in: state.country)
            state.step = .recoveryCode(number: number)
            state.verificationCode = ""
            state.resendAvailableAt = nil
            state.error = nil
            return .cancel(id: CancelID.countdown)
        } catch {
            state.error = UserFacingError(catching: error)
            return .none
        }
    }

    private func recover(_ state: inout State) -> Effect<Action> {
        guard state.canRecover, case .recoveryCode(let number) = state.step else { return .none }
        guard (try? RecoveryCodeRules.characters(typed: state.recoveryCode)) != nil else {
            state.error = .recoveryCodeLength
            return .none
        }
        state.isLoading = true
        state.error = nil
        return .run { [authClient, code = state.recoveryCode] send in
            await send(
                .recoverResponse(
                    .userFacing {
                        try await authClient.recover(phoneNumber: number, recoveryCode: code)
                    }))
        }
        .cancellable(id: CancelID.request, cancelInFlight: true)
    }
}

extension UserFacingError {
    static let recoveryCodeLength = UserFacingError(
        title: "We could not sign you in", message: RefusalWords.recoveryCodeLength.message,
        recoverySuggestion: RefusalWords.recoveryCodeLength.suggestion, code: .invalidArgument)
}

extension AuthFeature {
    public static let passkeyWords = "Use a passkey"
    /// The server doesn't say whether a limit holds a code back.
    public static let limitWords = "unless this server has reached a limit of codes"
    public static let recoveryTitle = "Enter a recovery code"
    public static let recoveryWords = "Use a recovery code"
    public static let recoveryField = "Recovery code"
    public static let recoveryHint = "16 letters and digits, from the list that you have noted."
}

extension AuthFeature.State {
    public var recoverWords: String { isLoading ? "Checking …" : "Sign in" }

    /// What the person needs besides a number; nil if nothing.
    public var signUpWords: String? {
        if token != nil {
            return "You have a sign-up link. Enter your phone number to use it."
        }
        switch options?.signUp {
        case .invited where inviterCode == nil:
            return RefusalWords.tokenNeeded.message
        case .closed: return RefusalWords.signUpClosed.message
        case .open, .invited, nil: return nil
        }
    }

    /// What happens after the number was entered.
    public var codeHint: String {
        guard options?.sendsCodes == false else { return "We’ll text you a 6-digit code." }
        let contact = options?.operatorContact.map { ": \($0)" } ?? ""
        let words = "This server sends no text messages. "
        return token == nil
            ? words + "Ask the people who run it for a link that signs you in\(contact)."
            : words + "Your link may sign you in without one."
    }

    /// Where the code was sent, as far as that is known.
    public func sentWords(to number: PhoneNumber) -> String {
        guard options?.sendsCodes != false else {
            return "The people who run this server know the code of \(number.text)."
        }
        return switch options?.signUp {
        // The server doesn't say whether an inviter's code is valid.
        case .invited where token == nil:
            "If \(number.text) has an account or an invitation, we sent it there."
        case .closed: "If \(number.text) has an account, we sent it there."
        case nil where token == nil, .open where token == nil && options?.limitsCountries == true:
            "If \(number.text) may sign in here, we sent it there."
        // A token opens an account, and codes to numbers without one have further limits.
        case .open, .invited, nil:
            token == nil
                ? "We sent it to \(number.text)."
                : "We sent it to \(number.text), \(AuthFeature.limitWords)."
        }
    }

    public var inviterWords: String? {
        inviter.map {
            """
            \(ProfileRules.displayName($0)) invites you to LifeSignal. Sign in, then choose how \
            you help each other.
            """
        }
    }

    public var sendWords: String { isLoading ? "Sending …" : "Send code" }
    public var verifyWords: String { isLoading ? "Checking …" : "Sign in" }

    /// The number of tries left; nil before the first failed try.
    public var triesWords: String? {
        switch attemptsLeft {
        case SignInRules.triesPerCode...: nil
        case 1: "1 try left."
        case 0: "No tries left. Ask for another code."
        default: "\(attemptsLeft) tries left."
        }
    }
}
