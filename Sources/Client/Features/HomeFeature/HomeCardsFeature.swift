import Clients
import ComposableArchitecture
import Domain

/// The cards of Home: requests and pings that wait for an answer, and whether anybody would be
/// told.
@Reducer
public struct HomeCardsFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The contact list of the tabs; nil until it is known.
        public var contacts: IdentifiedArrayOf<ContactData>?
        /// Answers on their way; the same one again does nothing.
        public var inFlight: Set<Operation>
        public var error: UserFacingError?

        public init(
            contacts: IdentifiedArrayOf<ContactData>? = nil, inFlight: Set<Operation> = [],
            error: UserFacingError? = nil
        ) {
            self.contacts = contacts
            self.inFlight = inFlight
            self.error = error
        }

        /// Responders who ask "are you OK?".
        public var pings: [ContactData] { contacts?.filter(\.hasPendingPing) ?? [] }

        /// Requests that wait for the user's answer, the oldest first.
        public var requests: [Request] {
            let all = (contacts ?? []).flatMap { contact in
                contact.requests.filter { !$0.isMine }.map {
                    Request(contact: contact, request: $0)
                }
            }
            return all.sorted { ($0.request.requestedAt, $0.id) < ($1.request.requestedAt, $1.id) }
        }

        /// The user's protection; nil until the contact list is known.
        public var protection: Protection? { contacts.map { Protection(of: $0) } }

        /// Whether anybody would hear the user; nil until the contact list is known.
        public var audience: Audience? { contacts.map { Audience(of: $0) } }

        /// Names of those who were asked to be responders and have not accepted.
        public var askedNames: [String] {
            (contacts ?? []).filter { $0.request(.responder)?.isMine == true }
                .map { ProfileRules.displayName($0.name) }
        }

        public func isAnswering(_ user: UserID) -> Bool { inFlight.contains { $0.user == user } }
    }

    /// A role that a contact has asked the user for.
    public struct Request: Equatable, Sendable, Identifiable {
        public var contact: ContactData
        public var request: RoleRequest

        public var role: ContactRole { request.role }
        public var id: String { "\(contact.id) \(role.rawValue)" }
    }

    public enum Operation: Hashable, Sendable {
        case accept(UserID, ContactRole)
        case decline(UserID, ContactRole)
        case answerPing(UserID)

        var user: UserID {
            switch self {
            case .accept(let user, _), .decline(let user, _), .answerPing(let user): user
            }
        }
    }

    public enum Action: Equatable, Sendable {
        case acceptButtonTapped(UserID, ContactRole)
        case declineButtonTapped(UserID, ContactRole)
        case answerPingButtonTapped(UserID)
        /// The contact as it is now; nil when nothing connects the two any more.
        case answered(Operation, Result<ContactData?, UserFacingError>)
        case addResponderButtonTapped
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case contactUpdated(ContactData)
            case contactRemoved(UserID)
            case addResponder
        }
    }

    @Dependency(\.contactClient) var contactClient
    @Dependency(\.pingClient) var pingClient

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .acceptButtonTapped(let user, let role):
                return run(.accept(user, role), &state) { contact in
                    try await contactClient.acceptRequest(id: contact.id, role: role)
                }
            case .declineButtonTapped(let user, let role):
                return run(.decline(user, role), &state) { contact in
                    do {
                        try await contactClient.declineRequest(id: contact.id, role: role)
                    } catch let error as UserFacingError where error.code == "not-found" {
                        // They took it back meanwhile: what the user wanted is so.
                    }
                    var contact = contact
                    contact.relation[role] = .absent
                    return contact.relation.isEmpty ? nil : contact
                }
            case .answerPingButtonTapped(let user):
                return run(.answerPing(user), &state) { contact in
                    try await pingClient.respondToPing(id: contact.id)
                    var contact = contact
                    contact.hasPendingPing = false
                    return contact
                }
            case .answered(let operation, let result):
                state.inFlight.remove(operation)
                switch result {
                case .success(let contact?): return .send(.delegate(.contactUpdated(contact)))
                case .success(nil): return .send(.delegate(.contactRemoved(operation.user)))
                case .failure(let error):
                    state.error = error
                    return .none
                }
            case .addResponderButtonTapped:
                return .send(.delegate(.addResponder))
            case .dismissError:
                state.error = nil
                return .none
            case .delegate:
                return .none
            }
        }
    }

    /// Runs to its end when Home goes: the user has given an answer.
    private func run(
        _ operation: Operation, _ state: inout State,
        _ work: @escaping @Sendable (ContactData) async throws -> ContactData?
    ) -> Effect<Action> {
        guard let contact = state.contacts?[id: operation.user], !state.isAnswering(operation.user)
        else { return .none }
        state.inFlight.insert(operation)
        state.error = nil
        return .run { send in
            await send(.answered(operation, .userFacing { try await work(contact) }))
        }
    }
}
