import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The user's e-mail address: enter, confirm with a code, show, remove.
@Reducer
public struct EmailAddressFeature: Sendable {
    @ObservableState
    public struct State: CodeEntry, Equatable, Sendable {
        public var status: EmailStatus?
        public var isEntering: Bool
        public var newAddress: String
        /// At most six digits, kept when the network fails.
        public var verificationCode: String
        public var isLoading: Bool
        public var error: UserFacingError?

        public enum Step: Equatable, Sendable { case loading, address, code, confirmed }

        public init(
            status: EmailStatus? = nil, isEntering: Bool = false, newAddress: String = "",
            verificationCode: String = "", isLoading: Bool = false, error: UserFacingError? = nil
        ) {
            self.status = status
            self.isEntering = isEntering
            self.newAddress = newAddress
            self.verificationCode = verificationCode
            self.isLoading = isLoading
            self.error = error
        }

        public var step: Step {
            guard let status else { return .loading }
            if isEntering { return .address }
            if status.unverifiedAddress != nil { return .code }
            return status.address == nil ? .address : .confirmed
        }

        public var asksForCode: Bool { step == .code }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case newAddressChanged(String)
        case sendCodeButtonTapped
        /// A complete code is sent at once.
        case verificationCodeChanged(String)
        case confirmButtonTapped
        case otherAddressButtonTapped
        case removeButtonTapped
        case response(Result<EmailStatus, UserFacingError>)
        /// Another device may have changed the address.
        case reloaded(EmailStatus)
        case dismissButtonTapped
        case dismissError
    }

    @Dependency(\.dismiss) private var dismiss
    @Dependency(\.notificationClient) private var notificationClient
    @Dependency(\.userClient) private var userClient

    private enum CancelID { case request, news }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear:
                guard state.status == nil else { return .none }
                return .merge(load(&state), followNews())
            case .newAddressChanged(let address):
                guard !state.isLoading else { return .none }
                state.newAddress = address
                return .none
            case .sendCodeButtonTapped:
                return sendCode(&state)
            case .verificationCodeChanged(let code):
                return state.enter(code: code) ? confirm(&state) : .none
            case .confirmButtonTapped:
                return confirm(&state)
            case .otherAddressButtonTapped:
                guard !state.isLoading else { return .none }
                (state.isEntering, state.verificationCode, state.error) = (true, "", nil)
                return .none
            case .removeButtonTapped:
                guard !state.isLoading else { return .none }
                return begin(&state) {
                    try await userClient.removeEmailAddress()
                    return EmailStatus()
                }
            case .response(.success(let status)):
                state.isLoading = false
                state.status = status
                (state.isEntering, state.verificationCode) = (false, "")
                return .none
            case .response(.failure(let error)):
                state.isLoading = false
                state.error = error
                return .none
            case .reloaded(let status):
                // The answer to a request that is on its way is newer.
                guard !state.isLoading, state.status != status else { return .none }
                if state.status?.unverifiedAddress != status.unverifiedAddress {
                    (state.verificationCode, state.error) = ("", nil)
                }
                state.status = status
                return .none
            case .dismissButtonTapped:
                return .run { _ in await dismiss() }
            case .dismissError:
                // Otherwise the screen would say forever that it loads.
                guard state.status != nil else { return load(&state) }
                state.error = nil
                return .none
            }
        }
    }

    private func load(_ state: inout State) -> Effect<Action> {
        begin(&state) { try await userClient.emailStatus() }
    }

    /// Loads again after news of the account. Ignores the stream's first value, because the sheet
    /// loads at the same time.
    private func followNews() -> Effect<Action> {
        .run { [notificationClient, userClient] send in
            var known: NotificationID??
            for await items in notificationClient.notificationStream() {
                let newest = items.first { $0.type == .system }?.id
                if let known, known != newest, let status = try? await userClient.emailStatus() {
                    await send(.reloaded(status))
                }
                known = .some(newest)
            }
        }
        .cancellable(id: CancelID.news, cancelInFlight: true)
    }

    private func sendCode(_ state: inout State) -> Effect<Action> {
        guard state.step == .address, !state.isLoading else { return .none }
        do {
            let address = try EmailAddress(state.newAddress).text
            return begin(&state) { try await userClient.setEmailAddress(address: address) }
        } catch {
            state.error = UserFacingError(error)
            return .none
        }
    }

    private func confirm(_ state: inout State) -> Effect<Action> {
        guard state.canConfirm else { return .none }
        let (code, known) = (state.verificationCode, state.status)
        return begin(&state) {
            do {
                return try await userClient.confirmEmailAddress(code: code)
            } catch {
                // An earlier answer may have been lost, or another device changed the address.
                guard let status = try? await userClient.emailStatus(),
                    status.address != known?.address
                        || status.unverifiedAddress != known?.unverifiedAddress
                else { throw error }
                return status
            }
        }
    }

    private func begin(
        _ state: inout State, _ request: @escaping @Sendable () async throws -> EmailStatus
    ) -> Effect<Action> {
        state.isLoading = true
        state.error = nil
        return .run { send in await send(.response(.userFacing(request))) }
            .cancellable(id: CancelID.request, cancelInFlight: true)
    }
}

extension EmailAddressFeature.State {
    public var codeHint: String {
        """
        It goes to \(status?.unverifiedAddress ?? "the address") once. If it does not arrive, \
        check your spam folder. Someone may have entered this address before: enter it again in \
        \(EmailRules.daysUntilSecondMessage) days for one more message.
        """
    }
    public var confirmWords: String { isLoading ? "Checking …" : "Confirm" }
    public var confirmedWords: String { "Alerts come to \(status?.address ?? "your address")." }

    /// Says that mail to the address fails; nil while mail arrives.
    public var failureWords: String? {
        status?.failingSince == nil
            ? nil : "Your mail provider says that there is no such mailbox. Use another address."
    }
}
