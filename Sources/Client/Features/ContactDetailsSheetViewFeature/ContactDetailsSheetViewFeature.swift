import Clients
import ComposableArchitecture
import Domain
import Foundation

/// One contact: their roles, how to reach them, and how to remove them.
@Reducer
public struct ContactDetailsSheetViewFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// nil before the first selection.
        public var contact: ContactData?
        public var isSheetPresented: Bool
        /// The roles that the user has requested and the server has not yet confirmed.
        public var askedRoles: ContactRoles?
        public var isChangingRoles: Bool
        public var isRemoving: Bool
        public var isWaitingToBeSent: Bool
        /// The protection without this contact; nil unless the contact is a responder.
        public var protectionWithout: Protection?
        public var isPingWaitingToBeSent = false
        public var error: UserFacingError?
        @Presents public var confirmation: ConfirmationAlertState<Action.Confirmation>?

        public init(
            contact: ContactData? = nil, isSheetPresented: Bool = false,
            askedRoles: ContactRoles? = nil, isChangingRoles: Bool = false,
            isRemoving: Bool = false, isWaitingToBeSent: Bool = false,
            protectionWithout: Protection? = nil, error: UserFacingError? = nil
        ) {
            self.contact = contact
            self.isSheetPresented = isSheetPresented
            self.askedRoles = askedRoles
            self.isChangingRoles = isChangingRoles
            self.isRemoving = isRemoving
            self.isWaitingToBeSent = isWaitingToBeSent
            self.protectionWithout = protectionWithout
            self.error = error
        }

        /// The switch shows the requested role until the server has answered.
        public var isResponder: Bool {
            askedRoles?.isResponder ?? contact?.isWanted(.responder) ?? false
        }
        public var isDependent: Bool {
            askedRoles?.isDependent ?? contact?.isWanted(.dependent) ?? false
        }

        public var displayName: String { ProfileRules.displayName(contact?.name ?? "") }
        /// The note for responders; nil when the note is empty or hidden from this user.
        public var emergencyNote: String? {
            contact?.watch.flatMap { $0.emergencyNote.isEmpty ? nil : $0.emergencyNote }
        }
        public var callURL: URL? { contact?.phoneNumber?.callURL }
        public var requestsToAnswer: [ContactRole] {
            contact?.requests.filter { !$0.isMine }.map(\.role) ?? []
        }
        public var ownRequests: [ContactRole] {
            contact?.requests.filter(\.isMine).map(\.role) ?? []
        }
        public var canPing: Bool { contact.map { $0.isDependent && $0.pingedAt == nil } ?? false }
        public var canClearPing: Bool { contact?.pingedAt != nil }
        public var canRespondToPing: Bool { contact?.hasPendingPing ?? false }
        public var isBusy: Bool { isChangingRoles || isRemoving }
        public func canChange(_ role: ContactRole) -> Bool { contact?.canChange(role) ?? false }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case connectivityChanged(Connectivity)
        /// The contact's current state in the list; nil once the contact is removed.
        case setContact(ContactData?)
        case responderToggleTapped
        case dependentToggleTapped
        case removeButtonTapped
        case acceptButtonTapped(ContactRole)
        case declineButtonTapped(ContactRole)
        case withdrawButtonTapped(ContactRole)
        case blockButtonTapped
        /// The user has declined a request, or withdrawn their own.
        case requestDeclined(UserID, ContactRole, UserFacingError?)
        case confirmation(PresentationAction<Confirmation>)
        case rolesResponse(UserID, Result<Submission<ContactData>, UserFacingError>)
        case removeResponse(UserID, UserFacingError?)
        case pingButtonTapped
        case clearPingButtonTapped
        case respondToPingButtonTapped
        case alertButtonTapped
        case closeButtonTapped
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Confirmation: Equatable, Sendable {
            case responderConfirmed(Bool)
            case dependentConfirmed(Bool)
            case removeConfirmed
            /// The user has confirmed a removal without a message to the other person.
            case removeQuietlyConfirmed
            case blockConfirmed
        }

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case contactUpdated(ContactData)
            case contactRemoved(UserID)
            /// The contact was removed elsewhere, and the sheet has closed. The error says so.
            case contactGone(UserFacingError)
            /// An action was refused after the sheet had closed or had switched to another contact.
            case failed(UserFacingError)
            case pingRequested(UserID)
            case clearPingRequested(UserID)
            case respondToPingRequested(UserID)
            case alertRequested(ContactData)
        }
    }

    @Dependency(\.connectivityClient) private var connectivityClient
    @Dependency(\.contactClient) private var contactClient
    @Dependency(\.effectOwner) private var effectOwner

    private enum CancelID { case change, waiting }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .setContact(let contact):
                return set(contact, &state)
            case .responderToggleTapped:
                return confirm(
                    isResponder: !state.isResponder, isDependent: state.isDependent, &state
                ) { .responder(!$0.isResponder, $0) }
            case .dependentToggleTapped:
                return confirm(
                    isResponder: state.isResponder, isDependent: !state.isDependent, &state
                ) { .dependent(!$0.isDependent, $0) }
            case .removeButtonTapped:
                guard !state.isBusy, state.contact != nil else { return .none }
                state.error = nil
                state.confirmation = .remove(state)
                return .none
            case .blockButtonTapped:
                guard !state.isBusy, state.contact != nil else { return .none }
                state.error = nil
                state.confirmation = .block(state)
                return .none
            case .pingButtonTapped:
                guard let contact = state.contact, state.canPing else { return .none }
                return .send(.delegate(.pingRequested(contact.id)))
            case .clearPingButtonTapped:
                guard let contact = state.contact, state.canClearPing else { return .none }
                return .send(.delegate(.clearPingRequested(contact.id)))
            case .respondToPingButtonTapped:
                guard let contact = state.contact, state.canRespondToPing else { return .none }
                return .send(.delegate(.respondToPingRequested(contact.id)))
            case .alertButtonTapped:
                guard let contact = state.contact, contact.needsHelp else { return .none }
                return .send(.delegate(.alertRequested(contact)))
            case .closeButtonTapped:
                return close(&state)
            case .dismissError:
                state.error = nil
                return .none
            case .delegate:
                return .none
            case .onAppear:
                return observeConnectivity()
            case .connectivityChanged(let connectivity):
                state.apply(connectivity)
                return .none
            case .acceptButtonTapped(let role):
                return accept(role, &state)
            case .declineButtonTapped(let role):
                return decline(role, &state)
            case .withdrawButtonTapped(let role):
                return withdraw(role, &state)
            case .requestDeclined(let id, let role, let error):
                return declined(id, role, error, &state)
            case .confirmation(.presented(let confirmation)):
                return confirmed(confirmation, &state)
            case .confirmation(.dismiss):
                return .none
            case .rolesResponse(let id, let result):
                return rolesAnswered(id, result, &state)
            case .removeResponse(let id, let error):
                return removeAnswered(id, error, &state)
            }
        }
        .ifLet(\.$confirmation, action: \.confirmation)
    }

    /// Closes the sheet. A change in flight continues.
    private func close(_ state: inout State) -> Effect<Action> {
        state.isSheetPresented = false
        state.confirmation = nil
        state.error = nil
        return .cancel(id: effectOwner(CancelID.waiting))
    }

    private func set(_ contact: ContactData?, _ state: inout State) -> Effect<Action> {
        guard state.isSheetPresented else { return .none }
        if let contact {
            guard contact.id == state.contact?.id else { return .none }
            state.contact = contact
            return .none
        }
        guard state.contact != nil else { return .none }
        let gone = UserFacingError.contactGone(state.displayName)
        // If the user is removing the contact, the stream may report the removal first. That needs
        // no message.
        return state.isRemoving
            ? close(&state) : .merge(close(&state), .send(.delegate(.contactGone(gone))))
    }

    private func confirm(
        isResponder: Bool, isDependent: Bool, _ state: inout State,
        _ question: (State) -> ConfirmationAlertState<Action.Confirmation>
    ) -> Effect<Action> {
        guard !state.isBusy, state.contact != nil else { return .none }
        state.error = nil
        do {
            _ = try ContactRoles(isResponder: isResponder, isDependent: isDependent)
            state.confirmation = question(state)
        } catch {
            state.error = UserFacingError(error)
        }
        return .none
    }
}

extension ContactDetailsSheetViewFeature {
    private func confirmed(_ confirmation: Action.Confirmation, _ state: inout State) -> Effect<
        Action
    > {
        switch confirmation {
        case .responderConfirmed(let isResponder):
            changeRoles(
                isResponder: isResponder, isDependent: state.isDependent, only: .responder, &state)
        case .dependentConfirmed(let isDependent):
            changeRoles(
                isResponder: state.isResponder, isDependent: isDependent, only: .dependent, &state)
        case .removeConfirmed:
            remove(&state) { try await contactClient.removeContact(id: $0) }
        case .removeQuietlyConfirmed:
            remove(&state) { try await contactClient.removeContactQuietly(id: $0) }
        case .blockConfirmed:
            remove(&state) { _ = try await contactClient.block(id: $0) }
        }
    }

    private func changeRoles(
        isResponder: Bool, isDependent: Bool, only role: ContactRole, _ state: inout State
    ) -> Effect<Action> {
        guard let contact = state.contact, !state.isBusy else { return .none }
        do {
            let roles = try ContactRoles(isResponder: isResponder, isDependent: isDependent)
            state.error = nil
            state.askedRoles = roles
            state.isChangingRoles = true
            return .run { send in
                await send(
                    .rolesResponse(
                        contact.id,
                        .userFacing {
                            try await contactClient.changeRoles(
                                id: contact.id, roles: roles, only: role)
                        }))
            }
            .cancellable(id: effectOwner(CancelID.change))
        } catch {
            state.error = UserFacingError(error)
            return .none
        }
    }

    /// Handles the answer to a change of roles. The contact list always gets the answer, even if
    /// the sheet has closed or shows another contact.
    private func rolesAnswered(
        _ id: UserID, _ result: Result<Submission<ContactData>, UserFacingError>,
        _ state: inout State
    ) -> Effect<Action> {
        let isShown = id == state.contact?.id
        if isShown { state.isChangingRoles = false }
        switch result {
        case .success(.confirmed(let contact)):
            if isShown {
                (state.contact, state.askedRoles, state.isWaitingToBeSent) = (contact, nil, false)
            }
            return .send(.delegate(.contactUpdated(contact)))
        case .success(.waiting):
            guard isShown, state.isSheetPresented else { return .none }
            state.isWaitingToBeSent = true
            return observeConnectivity()
        case .failure(let error):
            if isShown { state.askedRoles = nil }
            return fail(error, isShown: isShown, &state)
        }
    }

    /// Follows the queue while the sheet is open. The sheet then also shows a change that was
    /// queued earlier.
    private func observeConnectivity() -> Effect<Action> {
        .run { send in
            for await connectivity in connectivityClient.status() {
                await send(.connectivityChanged(connectivity))
            }
        }
        .cancellable(id: effectOwner(CancelID.waiting), cancelInFlight: true)
    }

    private func remove(
        _ state: inout State, _ work: @escaping @Sendable (UserID) async throws -> Void
    ) -> Effect<Action> {
        guard let contact = state.contact, !state.isBusy else { return .none }
        state.error = nil
        state.isRemoving = true
        return .run { send in
            do {
                try await work(contact.id)
                await send(.removeResponse(contact.id, nil))
            } catch {
                await send(.removeResponse(contact.id, UserFacingError(catching: error)))
            }
        }
        .cancellable(id: effectOwner(CancelID.change))
    }

    private func removeAnswered(_ id: UserID, _ error: UserFacingError?, _ state: inout State)
        -> Effect<
            Action
        >
    {
        let isShown = id == state.contact?.id
        if isShown { state.isRemoving = false }
        // "not-found" means that the relation has already ended, as the user wanted.
        guard let error, !error.has(.notFound) else {
            return .merge(isShown ? close(&state) : .none, .send(.delegate(.contactRemoved(id))))
        }
        return fail(error, isShown: isShown, &state)
    }

    /// Shows a failure in the sheet, or in the list once the sheet is closed. A hidden failure
    /// would look like success.
    private func fail(_ error: UserFacingError, isShown: Bool, _ state: inout State) -> Effect<
        Action
    > {
        guard isShown, state.isSheetPresented else { return .send(.delegate(.failed(error))) }
        state.error = error
        return .none
    }
}

extension ContactDetailsSheetViewFeature.State {
    fileprivate mutating func apply(_ connectivity: Connectivity) {
        guard let id = contact?.id else { return }
        let isWaiting = connectivity.isWaiting(.changeRoles, about: id)
        if isWaitingToBeSent, !isWaiting { askedRoles = nil }
        isWaitingToBeSent = isWaiting
        isPingWaitingToBeSent = connectivity.isWaiting(.ping, about: id)
    }

    public var waitingWords: String? {
        isWaitingToBeSent ? "The change of roles is waiting to be sent." : nil
    }

    public func requestWords(_ role: ContactRole) -> String {
        role == .responder
            ? "May \(displayName) be your responder?"
            : "Will you be the responder of \(displayName)?"
    }

    public func ownRequestWords(_ role: ContactRole) -> String {
        role == .responder
            ? "You asked \(displayName) to be your responder."
            : "You asked to be \(displayName)’s responder."
    }

    /// For screen readers.
    public func withdrawLabel(_ role: ContactRole) -> String {
        role == .responder
            ? "Take back: \(displayName) as your responder"
            : "Take back: you watch over \(displayName)"
    }

    public static func roleTitle(_ role: ContactRole) -> String {
        role == .responder ? "My responder" : "I watch over them"
    }

    public func roleHint(_ role: ContactRole) -> String {
        let effect =
            role == .responder ? "Is told when I need help." : "I am told when they need help."
        guard canChange(role) else {
            return "\(effect) \(displayName) has no account, and can’t accept a request."
        }
        return contact?.request(role)?.isMine == true
            ? "\(effect) \(displayName) has not accepted yet." : effect
    }

    public var showsPings: Bool { canPing || canClearPing || canRespondToPing }
    public var pingedWords: String {
        contact?.hearsPings == false ? ContactData.leftPingWords : "You pinged"
    }
    public var pingQuestion: String { "\(displayName) asks whether you are fine." }
}

extension UserFacingError {
    static func contactGone(_ name: String) -> Self {
        UserFacingError(
            title: "\(name) is no longer your contact",
            message: "The contact was removed. Neither of you is told when the other needs help.",
            recoverySuggestion: "If that was a mistake, scan their code to add them again.",
            code: "contact-removed"
        )
    }
}

extension ContactDetailsSheetViewFeature {
    private func accept(_ role: ContactRole, _ state: inout State) -> Effect<Action> {
        guard let contact = state.contact, !state.isBusy, state.requestsToAnswer.contains(role)
        else { return .none }
        state.error = nil
        state.isChangingRoles = true
        return .run { send in
            let result: Result<Submission<ContactData>, UserFacingError> = await .userFacing {
                .confirmed(try await contactClient.acceptRequest(id: contact.id, role: role))
            }
            await send(.rolesResponse(contact.id, result))
        }
        .cancellable(id: effectOwner(CancelID.change))
    }

    private func decline(_ role: ContactRole, _ state: inout State) -> Effect<Action> {
        guard state.requestsToAnswer.contains(role) else { return .none }
        return end(role, &state) { try await contactClient.declineRequest(id: $0, role: role) }
    }

    private func withdraw(_ role: ContactRole, _ state: inout State) -> Effect<Action> {
        guard state.ownRequests.contains(role) else { return .none }
        return end(role, &state) { try await contactClient.withdrawRequest(id: $0, role: role) }
    }

    private func end(
        _ role: ContactRole, _ state: inout State,
        _ work: @escaping @Sendable (UserID) async throws -> Void
    ) -> Effect<Action> {
        guard let contact = state.contact, !state.isBusy else { return .none }
        state.error = nil
        state.isChangingRoles = true
        return .run { send in
            do {
                try await work(contact.id)
                await send(.requestDeclined(contact.id, role, nil))
            } catch {
                await send(.requestDeclined(contact.id, role, UserFacingError(catching: error)))
            }
        }
        .cancellable(id: effectOwner(CancelID.change))
    }

    private func declined(
        _ id: UserID, _ role: ContactRole, _ error: UserFacingError?, _ state: inout State
    ) -> Effect<Action> {
        let isShown = id == state.contact?.id
        if isShown { state.isChangingRoles = false }
        if let error { return fail(error, isShown: isShown, &state) }
        // A sheet that shows another contact needs no change.
        guard isShown, var contact = state.contact else { return .none }
        contact.relation[role] = .absent
        guard !contact.relation.isEmpty else { return removeAnswered(id, nil, &state) }
        state.contact = contact
        return .send(.delegate(.contactUpdated(contact)))
    }
}
