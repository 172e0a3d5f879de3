import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The contact list: loads it, follows it, and updates it when a deadline passes.
///
/// Each of the two tabs with contacts has a list. `MainTabFeature` keeps both lists equal and runs
/// the stream in only one of them.
@Reducer
public struct ContactsFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// All contacts, responders and dependents, in the server's order.
        public var contacts: IdentifiedArrayOf<ContactData>
        public var isLoading: Bool
        public var error: UserFacingError?
        /// The language whose alphabet orders the names.
        public var locale = Locale(identifier: "en_US_POSIX")
        /// True while the list is not followed. Late answers then start no timer.
        var isStopped = false

        public init(
            contacts: IdentifiedArrayOf<ContactData> = [], isLoading: Bool = false,
            error: UserFacingError? = nil
        ) {
            self.contacts = contacts
            self.isLoading = isLoading
            self.error = error
        }

        /// Responders, and contacts with a pending request for that role from either side.
        public var responders: [ContactData] { contacts.filter { $0.isConsidered(.responder) } }
        /// Dependents, and contacts with a pending request for that role from either side.
        public var dependents: [ContactData] { contacts.filter { $0.isConsidered(.dependent) } }
    }

    public enum Action: Equatable, Sendable {
        case loadContacts
        /// Stops waiting for the request. The stream continues.
        case cancelLoading
        case contactsResponse(Result<[ContactData], UserFacingError>)
        case startStream
        case stopStream
        case contactsUpdated([ContactData])
        case contactUpdated(ContactData)
        case contactRemoved(UserID)
        case deadlineReached
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case contactsChanged(IdentifiedArrayOf<ContactData>)
            /// A requested load has ended, with an error if it failed.
            case loadFinished(UserFacingError?)
        }
    }

    @Dependency(\.contactClient) private var contactClient
    @Dependency(\.continuousClock) private var clock
    @Dependency(\.serverClock) private var serverClock
    @Dependency(\.date) private var date
    @Dependency(\.effectOwner) private var effectOwner

    /// Seed 002 uses this name (Docs/features.md).
    private enum CancellationID { case loadContacts, stream, deadline }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .loadContacts:
                state.isStopped = false
                state.isLoading = true
                state.error = nil
                return .run { send in
                    await send(
                        .contactsResponse(.userFacing { try await contactClient.contacts() }))
                }
                .cancellable(id: effectOwner(CancellationID.loadContacts), cancelInFlight: true)
            case .cancelLoading:
                state.isLoading = false
                return .cancel(id: effectOwner(CancellationID.loadContacts))
            case .contactsResponse(.success(let contacts)):
                state.isLoading = false
                return .merge(set(contacts, &state), .send(.delegate(.loadFinished(nil))))
            case .contactsResponse(.failure(let error)):
                state.isLoading = false
                state.error = error
                return .send(.delegate(.loadFinished(error)))
            case .startStream:
                state.isStopped = false
                return .run { send in
                    for await contacts in contactClient.contactsStream() {
                        await send(.contactsUpdated(contacts))
                    }
                }
                .cancellable(id: effectOwner(CancellationID.stream), cancelInFlight: true)
            case .stopStream:
                state.isStopped = true
                return .merge(
                    .cancel(id: effectOwner(CancellationID.stream)),
                    .cancel(id: effectOwner(CancellationID.deadline)))
            case .contactsUpdated(let contacts):
                return set(contacts, &state)
            case .contactUpdated(let contact):
                var contacts = state.contacts
                contacts.updateOrAppend(contact)
                return set(contacts.elements, &state)
            case .contactRemoved(let id):
                return set(state.contacts.filter { $0.id != id }, &state)
            case .deadlineReached:
                return set(state.contacts.elements, &state)
            case .dismissError:
                state.error = nil
                return .none
            case .delegate:
                return .none
            }
        }
    }

    private func set(_ contacts: some Sequence<ContactData>, _ state: inout State) -> Effect<Action>
    {
        let now = serverClock.time(at: date.now)
        let contacts = IdentifiedArray(
            contacts.map { contact in
                var contact = contact
                if let status = contact.watch?.status(at: now) { contact.watch?.status = status }
                // The local copy may still contain a ping that has expired. That ping would keep
                // the user from sending another.
                if let pingedAt = contact.pingedAt,
                    PingRules.isExpired(createdAt: pingedAt, at: now)
                {
                    contact.pingedAt = nil
                }
                return contact
            },
            uniquingIDsWith: { _, last in last }
        )
        let timer = state.isStopped ? .none : untilNextDeadline(of: contacts, after: now)
        guard contacts != state.contacts else { return timer }
        state.contacts = contacts
        return .merge(timer, .send(.delegate(.contactsChanged(contacts))))
    }

    private func untilNextDeadline(of contacts: IdentifiedArrayOf<ContactData>, after now: Date)
        -> Effect<Action>
    {
        let deadlines = contacts.compactMap {
            $0.watch?.status == .active ? $0.watch?.nextCheckInTime : nil
        }
        guard let next = deadlines.min() else {
            return .cancel(id: effectOwner(CancellationID.deadline))
        }
        return .run { send in
            try await clock.sleep(for: max(.zero, next.since(now)))
            await send(.deadlineReached)
        }
        .cancellable(id: effectOwner(CancellationID.deadline), cancelInFlight: true)
    }
}
