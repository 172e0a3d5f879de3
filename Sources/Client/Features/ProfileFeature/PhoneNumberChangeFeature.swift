import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Moves the account to another number: asks for the number, then for the code that was sent there.
@Reducer
public struct PhoneNumberChangeFeature: Sendable {
    @ObservableState
    public struct State: CodeEntry, Equatable, Sendable {
        public var step: Step
        /// The number as typed; in E.164 once a code was sent to it.
        public var newPhoneNumber: String
        /// For a number that is typed without a country code.
        public var country: PhoneCountry?
        /// False at first, because a short menu of countries keeps the page small.
        public var showsAllCountries = false
        /// At most six digits, kept when the network fails.
        public var verificationCode: String
        /// True if the sign-in lock holds the change back. Known after the last step.
        public var isHeldBack = false
        public var isLoading: Bool
        public var error: UserFacingError?
        /// A number in doubt. Sending the same number again confirms it.
        var numberInDoubt: String?

        public enum Step: Equatable, Sendable { case number, code, done }

        public init(
            step: Step = .number, newPhoneNumber: String = "", country: PhoneCountry? = nil,
            verificationCode: String = "",
            isLoading: Bool = false, error: UserFacingError? = nil
        ) {
            self.step = step
            self.newPhoneNumber = newPhoneNumber
            self.country = country
            self.verificationCode = verificationCode
            self.isLoading = isLoading
            self.error = error
        }

        public var asksForCode: Bool { step == .code }
    }

    public enum Action: Equatable, Sendable {
        case newPhoneNumberChanged(String)
        case countryChosen(PhoneCountry?)
        case otherCountryButtonTapped
        case sendCodeButtonTapped
        case sendCodeResponse(Result<PhoneNumber, UserFacingError>)
        /// A complete code is sent at once.
        case verificationCodeChanged(String)
        /// Returns to the first step, to correct the number or to request another code.
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

    @Dependency(\.authClient) private var authClient
    @Dependency(\.dismiss) private var dismiss
    @Dependency(\.userClient) private var userClient

    private enum CancelID { case request }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .newPhoneNumberChanged(let number):
                guard state.step == .number, !state.isLoading else { return .none }
                state.newPhoneNumber = number
                return .none
            case .countryChosen(let country):
                guard state.step == .number, !state.isLoading else { return .none }
                state.country = country
                state.numberInDoubt = nil
                return .none
            case .otherCountryButtonTapped:
                state.showsAllCountries = true
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
                return state.enter(code: code) ? confirm(&state) : .none
            case .otherNumberButtonTapped:
                guard state.step == .code else { return .none }
                state = State(newPhoneNumber: state.newPhoneNumber, country: state.country)
                return .cancel(id: CancelID.request)
            case .confirmButtonTapped:
                guard state.step == .code, !state.isLoading else { return .none }
                return confirm(&state)
            case .confirmResponse(.success(let profile)):
                state.isLoading = false
                state.step = .done
                state.isHeldBack = profile.numberMove?.phoneNumber.text == state.newPhoneNumber
                return .send(.delegate(.phoneNumberChanged(profile)))
            case .sendCodeResponse(.failure(let error)), .confirmResponse(.failure(let error)):
                state.isLoading = false
                state.error = error
                state.numberInDoubt =
                    error.code == UserFacingError.numberInDoubt ? state.newPhoneNumber : nil
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
            let number = try PhoneNumber.digits(typed: state.newPhoneNumber, in: state.country)
            let isConfirmed = state.numberInDoubt == state.newPhoneNumber
            return begin(&state) { send in
                let result = await Result.userFacing {
                    try await authClient.sendCode(phoneNumber: number, isConfirmed: isConfirmed)
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

extension PhoneNumberChangeFeature.State {
    public var closeWords: String { step == .done ? "Close" : "Cancel" }
    public var codeHint: String { "We texted it to \(newPhoneNumber)." }
    public var confirmWords: String { isLoading ? "Checking …" : "Change number" }
    public var doneWords: String {
        guard !isHeldBack else {
            return """
                The sign-in lock is on: your number changes to \(newPhoneNumber) in 7 days. Your \
                devices were told, and each can stop it in Settings. To change it now, turn the \
                lock off with a recovery code first.
                """
        }
        return "Your number is now \(newPhoneNumber). You sign in with it from now on."
    }
}
