import Clients
import ComposableArchitecture
import Domain

/// The cards of Home: requests and pings to answer, and whether the user is protected.
@Reducer
public struct HomeCardsFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// nil until the list has loaded.
        public var contacts: IdentifiedArrayOf<ContactData>?
        /// The answers in flight. A second tap on such an answer does nothing.
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

        public var pings: [ContactData] { contacts?.filter(\.hasPendingPing) ?? [] }

        /// Oldest first.
        public var requests: [Request] {
            let all = (contacts ?? []).flatMap { contact in
                contact.requests.filter { !$0.isMine }.map {
                    Request(contact: contact, request: $0)
                }
            }
            return all.sorted { ($0.request.requestedAt, $0.id) < ($1.request.requestedAt, $1.id) }
        }

        /// nil until the contact list is known.
        public var protection: Protection? { contacts.map { Protection(of: $0) } }

        public var audience: Audience? { contacts.map { Audience(of: $0) } }

        /// The names of contacts who have not accepted yet to be responders.
        public var askedNames: [String] {
            (contacts ?? []).filter { $0.request(.responder)?.isMine == true }
                .map { ProfileRules.displayName($0.name) }
        }

        public func isAnswering(_ user: UserID) -> Bool { inFlight.contains { $0.user == user } }
    }

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

        fileprivate var user: UserID {
            switch self {
            case .accept(let user, _), .decline(let user, _), .answerPing(let user): user
            }
        }
    }

    public enum Action: Equatable, Sendable {
        case acceptButtonTapped(UserID, ContactRole)
        case declineButtonTapped(UserID, ContactRole)
        case answerPingButtonTapped(UserID)
        /// The contact's new state; nil if no role and no request is left.
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

    @Dependency(\.contactClient) private var contactClient
    @Dependency(\.pingClient) private var pingClient

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
                    } catch let error as UserFacingError where error.has(.notFound) {
                        // The other person has withdrawn the request, so it is gone, as the user
                        // wanted.
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

    /// Sends the user's answer. The request continues when Home disappears.
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

extension HomeCardsFeature.Request {
    private var name: String { ProfileRules.displayName(contact.name) }

    public var title: String {
        role == .dependent
            ? "\(name) asked you to help." : "\(name) wants to be your responder."
    }

    public var effect: String {
        role == .dependent
            ? "You’ll be told if they miss a check-in."
            : "They’ll be told if you miss a check-in, and can read your emergency note."
    }
}

extension HomeCardsFeature.State {
    /// True if every responder has accepted, none is known to be unreachable, and at least one is
    /// proven reachable. False before the contacts are known.
    public var isProtected: Bool {
        guard protection == .accepted, askedNames.isEmpty else { return false }
        let states = (contacts ?? []).filter(\.isResponder).map(\.reachability?.state)
        return states.contains(.proven) && !states.contains(.unreachable)
    }

    /// The card about missing protection and its consequences; nil for a protected user.
    public var protectionCard: HomeCardsFeature.Card? {
        switch protection {
        case .accepted, nil: nil
        case .nobody:
            HomeCardsFeature.Card(
                title: "No one is watching over you. Add someone.",
                text: "If you miss a check-in or raise an alert, no one will be alerted.",
                tone: .critical)
        case .asked:
            HomeCardsFeature.Card(
                title: "No one has accepted yet",
                text: """
                    You asked \(listed(askedNames)). Until someone accepts, they are alerted \
                    by push only: no text messages, no calls.
                    """,
                tone: .warning)
        }
    }

    /// The card about responders that an alert may not reach; nil if there are none, and while
    /// that is unknown.
    /// - Parameter mayDrill: true if the user may start a drill now.
    public func audienceCard(mayDrill: Bool) -> HomeCardsFeature.Card? {
        switch audience {
        case .proven, nil: nil
        case .unproven(let names):
            HomeCardsFeature.Card(
                title: "Would anyone hear you?",
                text: """
                    No message to \(listed(names, last: "or")) was confirmed in the last 30 days.\
                    \(mayDrill ? " Start a drill to find out." : "")
                    """,
                tone: .normal)
        case .partly(let names):
            HomeCardsFeature.Card(
                title: "\(listed(names, last: "or")) may not hear you",
                text: "\(listed(names)) can’t be reached\(whileClosed). Your other responders can.",
                tone: .normal)
        case .unreachable(let names):
            HomeCardsFeature.Card(
                title: "Your responders may not hear you",
                text: "\(listed(names)) can’t be reached\(whileClosed). \(advice)",
                tone: .warning)
        }
    }

    private func unreachableNames(isStopped: Bool) -> [String] {
        (contacts ?? []).filter {
            $0.reachability?.state == .unreachable && $0.reachability?.isStopped == isStopped
        }.map { ProfileRules.displayName($0.name) }
    }

    /// Empty if all unreachable responders have sent STOP: they may use LifeSignal without an app.
    private var whileClosed: String {
        unreachableNames(isStopped: false).isEmpty ? "" : " while LifeSignal is closed"
    }

    private var advice: String {
        let closed = unreachableNames(isStopped: false)
        let stopped = unreachableNames(isStopped: true)
        let start = "to answer START to LifeSignal’s number"
        if closed.isEmpty { return "Ask them \(start)." }
        let people = stopped.isEmpty ? "them" : listed(closed)
        let rest = stopped.isEmpty ? "" : ", and \(listed(stopped)) \(start)"
        return "Ask \(people) to turn on notifications in its settings\(rest)."
    }
}

extension HomeCardsFeature {
    public struct Card: Equatable, Sendable {
        public var title: String
        public var text: String
        public var tone: Tone
    }
}
