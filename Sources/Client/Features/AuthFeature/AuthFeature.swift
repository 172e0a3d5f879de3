import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Signing in: a phone number, then the code that was sent there.
@Reducer
public struct AuthFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The number as typed: spaces, hyphens and a `00` in front are forgiven.
        public var phoneNumber: String
        /// The code's digits, at most six; kept when the network fails.
        public var verificationCode: String
        /// The number first, then the code.
        public var step: Step
        /// The time when another code may be asked for.
        public var resendAvailableAt: Date?
        /// Tries left for the code that was sent last.
        public var attemptsLeft: Int
        /// Something was asked of the server and has not been answered.
        public var isLoading: Bool
        /// The last failure, until it is dismissed or the next try begins.
        public var error: UserFacingError?

        public init(
            phoneNumber: String = "", verificationCode: String = "", step: Step = .phoneNumber,
            resendAvailableAt: Date? = nil,
            attemptsLeft: Int = SignInRules.triesPerCode, isLoading: Bool = false,
            error: UserFacingError? = nil
        ) {
            self.phoneNumber = phoneNumber
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

        public var codeSentTo: PhoneNumber? {
            if case .code(let number) = step { number } else { nil }
        }
    }

    public enum Step: Equatable, Sendable {
        case phoneNumber
        case code(sentTo: PhoneNumber)
    }

    public enum Action: Equatable, Sendable {
        case phoneNumberChanged(String)
        case sendCodeButtonTapped
        case resendCodeButtonTapped
        case sendCodeResponse(Result<PhoneNumber, UserFacingError>)
        case resendCountdownEnded
        /// A code that is complete, typed or pasted, is sent at once.
        case verificationCodeChanged(String)
        case verifyButtonTapped
        case verifyResponse(Result<SignedIn, UserFacingError>)
        case changePhoneNumberButtonTapped
        case onDisappear
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case signedIn(SignedIn)
        }
    }

    @Dependency(\.authClient) var authClient
    @Dependency(\.continuousClock) var clock
    @Dependency(\.date) var date

    private enum CancelID { case request, countdown }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .phoneNumberChanged(let text):
                guard state.step == .phoneNumber, !state.isLoading else { return .none }
                state.phoneNumber = text
                state.error = nil
                return .none

            case .sendCodeButtonTapped:
                guard state.step == .phoneNumber, !state.isLoading else { return .none }
                do {
                    return sendCode(to: try PhoneNumber(typed: state.phoneNumber), &state)
                } catch {
                    state.error = UserFacingError(catching: error)
                    return .none
                }

            case .resendCodeButtonTapped:
                guard state.canResend, let number = state.codeSentTo else { return .none }
                return sendCode(to: number, &state)

            case .sendCodeResponse(.success(let number)):
                state.isLoading = false
                state.step = .code(sentTo: number)
                state.verificationCode = ""
                state.attemptsLeft = SignInRules.triesPerCode
                return countDown(&state)

            case .resendCountdownEnded:
                state.resendAvailableAt = nil
                return .none

            case .verificationCodeChanged(let text):
                return codeChanged(text, &state)

            case .verifyButtonTapped:
                return verify(&state)

            case .verifyResponse(.success(let signedIn)):
                state.isLoading = false
                state.verificationCode = ""
                state.resendAvailableAt = nil
                return .merge(
                    .cancel(id: CancelID.countdown), .send(.delegate(.signedIn(signedIn))))

            case .verifyResponse(.failure(let error)):
                state.isLoading = false
                state.error = error
                // Only a refused code costs a try and is typed anew; a connection that is down does
                // neither.
                guard error.code == UserFacingError(.unauthenticated("")).code else { return .none }
                state.verificationCode = ""
                state.attemptsLeft = max(0, state.attemptsLeft - 1)
                return .none

            case .sendCodeResponse(.failure(let error)):
                state.isLoading = false
                state.error = error
                return .none

            case .changePhoneNumberButtonTapped:
                state = State(phoneNumber: state.phoneNumber)
                return .merge(.cancel(id: CancelID.request), .cancel(id: CancelID.countdown))

            case .onDisappear:
                state.isLoading = false
                state.resendAvailableAt = nil
                return .merge(.cancel(id: CancelID.request), .cancel(id: CancelID.countdown))

            case .dismissError:
                state.error = nil
                return .none

            case .delegate:
                return .none
            }
        }
    }

    private func sendCode(to number: PhoneNumber, _ state: inout State) -> Effect<Action> {
        state.isLoading = true
        state.error = nil
        return .run { [authClient] send in
            await send(
                .sendCodeResponse(
                    .userFacing {
                        try await authClient.sendCode(phoneNumber: number.text)
                        return number
                    }))
        }
        .cancellable(id: CancelID.request, cancelInFlight: true)
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
}
