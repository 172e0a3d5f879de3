import Clients
import ComposableArchitecture
import Domain
import Foundation

/// One contact: what they are to the user, how to reach them, and the end of it.
@Reducer
public struct ContactDetailsSheetViewFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The person shown; nil before the first was selected.
        public var contact: ContactData?
        /// The sheet is open.
        public var isSheetPresented: Bool
        /// The requested roles, not confirmed yet.
        public var askedRoles: ContactRoles?
        /// A change of roles is on its way.
        public var isChangingRoles: Bool
        /// The removal is on its way.
        public var isRemoving: Bool
        /// A change of roles is on disk and not with the server yet.
        public var isWaitingToBeSent: Bool
        /// The protection left without this contact; nil unless the contact is a responder.
        public var protectionWithout: Protection?
        /// A ping to them is on disk and not with the server yet.
        public var isPingWaitingToBeSent = false
        /// The last failure, until it is dismissed or the next try begins.
        public var error: UserFacingError?
        /// The question before a change; nil while nothing is asked.
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

        /// How the two switches stand: as they were asked for, until the answer.
        public var isResponder: Bool {
            askedRoles?.isResponder ?? contact?.isWanted(.responder) ?? false
        }
        public var isDependent: Bool {
            askedRoles?.isDependent ?? contact?.isWanted(.dependent) ?? false
        }

        public var displayName: String { ProfileRules.displayName(contact?.name ?? "") }
        /// The note for responders; nil when it is empty or not visible to this user.
        public var emergencyNote: String? {
            contact?.watch.flatMap { $0.emergencyNote.isEmpty ? nil : $0.emergencyNote }
        }
        /// `tel:` with the contact's number.
        public var callURL: URL? { contact?.phoneNumber?.callURL }
        /// The other person's open requests.
        public var requestsToAnswer: [ContactRole] {
            contact?.requests.filter { !$0.isMine }.map(\.role) ?? []
        }
        /// Roles the user has asked for and the other person has not answered.
        public var ownRequests: [ContactRole] {
            contact?.requests.filter(\.isMine).map(\.role) ?? []
        }
        public var canPing: Bool { contact.map { $0.isDependent && $0.pingedAt == nil } ?? false }
        public var canClearPing: Bool { contact?.pingedAt != nil }
        public var canRespondToPing: Bool { contact?.hasPendingPing ?? false }
        public var isBusy: Bool { isChangingRoles || isRemoving }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case connectivityChanged(Connectivity)
        /// The contact's present state in the list; nil once they are removed.
        case setContact(ContactData?)
        case responderToggleTapped
        case dependentToggleTapped
        case removeButtonTapped
        case acceptButtonTapped(ContactRole)
        case declineButtonTapped(ContactRole)
        case withdrawButtonTapped(ContactRole)
        case blockButtonTapped
        /// Declined by the user, or taken back by them.
        case requestDeclined(UserID, ContactRole, UserFacingError?)
        case confirmation(PresentationAction<Confirmation>)
        case rolesResponse(UserID, Result<Submission<ContactData>, UserFacingError>)
        case removeResponse(UserID, UserFacingError?)
        case pingButtonTapped
        case clearPingButtonTapped
        case respondToPingButtonTapped
        case closeButtonTapped
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Confirmation: Equatable, Sendable {
            case responderConfirmed(Bool)
            case dependentConfirmed(Bool)
            case removeConfirmed
            case blockConfirmed
        }

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case contactUpdated(ContactData)
            /// The user has removed them.
            case contactRemoved(UserID)
            /// They are gone without the user's doing, and the sheet has closed: with these words.
            case contactGone(UserFacingError)
            /// An action was refused after the sheet had closed or shows somebody else.
            case failed(UserFacingError)
            case pingRequested(UserID)
            case clearPingRequested(UserID)
            case respondToPingRequested(UserID)
        }
    }

    @Dependency(\.connectivityClient) var connectivityClient
    @Dependency(\.contactClient) var contactClient
    @Dependency(\.effectOwner) var effectOwner

    enum CancelID { case change, waiting }

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

    /// A change that is on its way goes on.
    func close(_ state: inout State) -> Effect<Action> {
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
        // The user's own removal comes by the list first, when the stream is faster than the
        // answer.
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
