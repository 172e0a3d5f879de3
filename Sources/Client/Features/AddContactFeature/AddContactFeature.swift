import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Shows the owner of a code and adds them with the chosen roles.
@Reducer
public struct AddContactFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        public var code: String
        /// The name of the code's owner; empty until it is known.
        public var name: String
        public var owner: CodeOwner?
        /// The first switch. If it is on, the contact is told when the user needs help.
        public var isResponder: Bool
        /// The second switch. If it is on, the user is told when the contact needs help.
        public var isDependent: Bool
        public var isSheetPresented: Bool
        public var isLoading: Bool
        /// True while the request is in flight. A second tap then does nothing.
        public var isAdding: Bool
        public var error: UserFacingError?
        /// True if the code is the user's own, unknown, or no code.
        public var isCodeRefused = false

        public init(
            code: String = "", name: String = "", owner: CodeOwner? = nil, isResponder: Bool = true,
            isDependent: Bool = false,
            isSheetPresented: Bool = false, isLoading: Bool = false, isAdding: Bool = false,
            error: UserFacingError? = nil
        ) {
            self.code = code
            self.name = name
            self.owner = owner
            self.isResponder = isResponder
            self.isDependent = isDependent
            self.isSheetPresented = isSheetPresented
            self.isLoading = isLoading
            self.isAdding = isAdding
            self.error = error
        }

        public var displayName: String { ProfileRules.displayName(name) }
        public var canAdd: Bool {
            owner != nil && !isAdding
                && (try? ContactRoles(isResponder: isResponder, isDependent: isDependent)) != nil
        }
    }

    public enum Action: Equatable, Sendable {
        /// The sheet has been opened with a code. Looks up the owner of the code.
        case onAppear
        case retryButtonTapped
        case codeOwnerResponse(Result<CodeOwner, UserFacingError>)
        case isResponderChanged(Bool)
        case isDependentChanged(Bool)
        case addButtonTapped
        /// Contains the code of the request, because the sheet may show another code when the
        /// answer arrives.
        case addResponse(code: String, Result<ContactData, UserFacingError>)
        case cancelButtonTapped
        /// The code has no owner, and the person wants to enter another code.
        case otherCodeButtonTapped
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case contactAdded(ContactData)
            /// The person was a contact already. The sheet has closed.
            case contactExists
            /// The request failed. The sheet stays open and shows the error.
            case contactError
            case dismissed
            /// The sheet has closed, and the person wants to scan or type another code.
            case otherCode
        }
    }

    @Dependency(\.contactClient) private var contactClient
    @Dependency(\.effectOwner) private var effectOwner

    private enum CancelID { case lookUp, add }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear, .retryButtonTapped:
                guard state.isSheetPresented, !state.isLoading, state.owner == nil else {
                    return .none
                }
                return lookUp(&state)
            case .codeOwnerResponse(.success(let owner)):
                state.isLoading = false
                state.owner = owner
                state.name = owner.name
                return .none
            case .codeOwnerResponse(.failure(let error)):
                state.isLoading = false
                return fail(error, &state)
            case .isResponderChanged(let isOn):
                guard !state.isAdding else { return .none }
                state.isResponder = isOn
                return .none
            case .isDependentChanged(let isOn):
                guard !state.isAdding else { return .none }
                state.isDependent = isOn
                return .none
            case .addButtonTapped:
                // A second tap may arrive after the answer to the first tap has closed the sheet.
                guard state.isSheetPresented, state.owner != nil, !state.isAdding else {
                    return .none
                }
                return add(&state)
            case .addResponse(let code, let result):
                return added(result, isShown: code == state.code && state.isSheetPresented, &state)
            case .otherCodeButtonTapped:
                guard state.isSheetPresented, state.owner == nil else { return .none }
                close(&state)
                return .merge(
                    .cancel(id: effectOwner(CancelID.lookUp)), .send(.delegate(.otherCode)))
            case .cancelButtonTapped:
                guard state.isSheetPresented else { return .none }
                close(&state)
                // A request in flight continues, because it can't be undone. Its result appears in
                // the contact list.
                return .merge(
                    .cancel(id: effectOwner(CancelID.lookUp)), .send(.delegate(.dismissed)))
            case .dismissError:
                state.error = nil
                return .none
            case .delegate:
                return .none
            }
        }
    }

    private func lookUp(_ state: inout State) -> Effect<Action> {
        state.error = nil
        state.isCodeRefused = false
        do {
            let code = try QRCodeRules.id(in: state.code).description
            state.isLoading = true
            return .run { send in
                await send(
                    .codeOwnerResponse(
                        .userFacing { try await contactClient.codeOwner(code: code) }))
            }
            .cancellable(id: effectOwner(CancelID.lookUp), cancelInFlight: true)
        } catch {
            return fail(UserFacingError(error), &state)
        }
    }

    private func add(_ state: inout State) -> Effect<Action> {
        state.error = nil
        do {
            let roles = try ContactRoles(
                isResponder: state.isResponder, isDependent: state.isDependent)
            let code = try QRCodeRules.id(in: state.code).description
            state.isAdding = true
            return .run { [shown = state.code] send in
                await send(
                    .addResponse(
                        code: shown,
                        .userFacing { try await contactClient.addContact(code: code, roles: roles) }
                    ))
            }
            .cancellable(id: effectOwner(CancelID.add))
        } catch {
            return fail(UserFacingError(catching: error), &state)
        }
    }

    /// Handles an added contact even if the sheet has closed or shows another code.
    private func added(
        _ result: Result<ContactData, UserFacingError>, isShown: Bool, _ state: inout State
    ) -> Effect<Action> {
        switch result {
        case .success(let contact):
            if isShown { close(&state) }
            return .send(.delegate(.contactAdded(contact)))
        case .failure(let error):
            guard isShown else { return .none }
            state.isAdding = false
            guard error.has(.alreadyExists) else { return fail(error, &state) }
            close(&state)
            return .send(.delegate(.contactExists))
        }
    }

    /// An unknown code has its own text.
    private func fail(_ error: UserFacingError, _ state: inout State) -> Effect<Action> {
        state.error = error.has(.notFound) ? .unknownCode : error
        if state.owner == nil {
            state.isCodeRefused = error.has(.notFound) || error.has(.invalidArgument)
        }
        return .send(.delegate(.contactError))
    }

    private func close(_ state: inout State) {
        state.isSheetPresented = false
        state.isLoading = false
        state.isAdding = false
        state.error = nil
        state.isCodeRefused = false
    }
}

extension UserFacingError {
    static let unknownCode = UserFacingError(
        title: "This code is not in use", message: RefusalWords.unknownCode.message,
        recoverySuggestion: RefusalWords.unknownCode.suggestion, code: .notFound)
}

extension AddContactFeature.State {
    /// False if another try would get the same answer.
    public var canLookUpAgain: Bool { !isCodeRefused }

    public var question: String { "How should you and \(displayName) help each other?" }
    public var addWords: String { isAdding ? "Adding …" : "Add \(displayName)" }
    public var rolesHint: String {
        """
        Choose at least one. \(displayName) is told, and must accept before becoming your \
        responder.
        """
    }
}
