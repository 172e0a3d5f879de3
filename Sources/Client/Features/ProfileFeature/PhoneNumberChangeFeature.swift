import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Moving the account to another number: the number, the code that was sent there, done.
@Reducer
public struct PhoneNumberChangeFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The number first, then the code.
        public var step: Step
        /// The number as typed; written in E.164 from the moment a code was sent to it.
        public var newPhoneNumber: String
        /// The code's digits, at most six; kept when the network fails.
        public var verificationCode: String
        /// Something was asked of the server and has not been answered.
        public var isLoading: Bool
        /// The last failure, until it is dismissed or the next try begins.
        public var error: UserFacingError?

        public enum Step: Equatable, Sendable { case number, code, done }

        public init(
            step: Step = .number, newPhoneNumber: String = "", verificationCode: String = "",
            isLoading: Bool = false, error: UserFacingError? = nil
        ) {
            self.step = step
            self.newPhoneNumber = newPhoneNumber
            self.verificationCode = verificationCode
            self.isLoading = isLoading
            self.error = error
        }

        public var canConfirm: Bool {
            step == .code && !isLoading && (try? SignInRules.code(verificationCode)) != nil
        }
    }

    public enum Action: Equatable, Sendable {
        case newPhoneNumberChanged(String)
        case sendCodeButtonTapped
        case sendCodeResponse(Result<PhoneNumber, UserFacingError>)
        /// A code that is complete, typed or pasted, is sent at once.
        case verificationCodeChanged(String)
        /// Back to the number: to correct it, or to have another code sent.
        case otherNumberButtonTapped
        case confirmButtonTapped
        case confirmResponse(Result<UserProfile, UserFacingError>)
        case dismissButtonTapped
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case phoneNumberChanged(UserProfile)
        }
    }

    @Dependency(\.authClient) var authClient
    @Dependency(\.dismiss) var dismiss
    @Dependency(\.userClient) var userClient

    private enum CancelID { case request }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .newPhoneNumberChanged(let number):
                guard state.step == .number, !state.isLoading else { return .none }
                state.newPhoneNumber = number
                return .none
            case .sendCodeButtonTapped:
                guard state.step == .number, !state.isLoading else { return .none }
                return sendCode(&state)
            case .sendCodeResponse(.success(let number)):
                state.isLoading = false
                state.step = .code
                state.newPhoneNumber = number.text
                return .none
            case .verificationCodeChanged(let code):
                let code = SignInRules.code(typed: code)
                guard state.step == .code, !state.isLoading, code != state.verificationCode else {
                    return .none
                }
                state.verificationCode = code
                return state.canConfirm ? confirm(&state) : .none
            case .otherNumberButtonTapped:
                guard state.step == .code else { return .none }
                state = State(newPhoneNumber: state.newPhoneNumber)
                return .cancel(id: CancelID.request)
            case .confirmButtonTapped:
                guard state.step == .code, !state.isLoading else { return .none }
                return confirm(&state)
            case .confirmResponse(.success(let profile)):
                state.isLoading = false
                state.step = .done
                return .send(.delegate(.phoneNumberChanged(profile)))
            case .sendCodeResponse(.failure(let error)), .confirmResponse(.failure(let error)):
                state.isLoading = false
                state.error = error
                return .none
            case .dismissButtonTapped:
                return .run { _ in await dismiss() }
            case .dismissError:
                state.error = nil
                return .none
            case .delegate:
                return .none
            }
        }
    }

    private func sendCode(_ state: inout State) -> Effect<Action> {
        do {
            let number = try PhoneNumber(typed: state.newPhoneNumber)
            return begin(&state) { send in
                let result = await Result.userFacing {
                    try await authClient.sendCode(phoneNumber: number.text)
                    return number
                }
                await send(.sendCodeResponse(result))
            }
        } catch {
            state.error = UserFacingError(error)
            return .none
        }
    }

    private func confirm(_ state: inout State) -> Effect<Action> {
        do {
            let code = try SignInRules.code(state.verificationCode)
            let number = state.newPhoneNumber
            return begin(&state) { send in
                await send(
                    .confirmResponse(
                        .userFacing {
                            try await userClient.changePhoneNumber(phoneNumber: number, code: code)
                        }))
            }
        } catch {
            state.error = UserFacingError(error)
            return .none
        }
    }

    private func begin(
        _ state: inout State, _ request: @escaping @Sendable (Send<Action>) async -> Void
    ) -> Effect<Action> {
        state.isLoading = true
        state.error = nil
        return .run { send in await request(send) }.cancellable(
            id: CancelID.request, cancelInFlight: true)
    }
}
