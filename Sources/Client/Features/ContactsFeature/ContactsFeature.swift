import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The contact list alone: loads it, follows it, and lets no deadline pass in silence.
///
/// Each of the two tabs holds one; `MainTabFeature` keeps them equal and runs the stream in one of
/// them.
@Reducer
public struct ContactsFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// Everybody, responders and dependents, in the server's order.
        public var contacts: IdentifiedArrayOf<ContactData>
        /// Something was asked of the server and has not been answered.
        public var isLoading: Bool
        /// The last failure, until it is dismissed or the next try begins.
        public var error: UserFacingError?
        /// The language whose alphabet orders the names.
        public var locale = Locale(identifier: "en_US_POSIX")
        /// Nobody follows the list any more: what still arrives starts no timer.
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
        /// Stops waiting for the request. The stream runs on.
        case cancelLoading
        case contactsResponse(Result<[ContactData], UserFacingError>)
        case startStream
        case stopStream
        case contactsUpdated([ContactData])
        /// One contact is new or has changed.
        case contactUpdated(ContactData)
        case contactRemoved(UserID)
        /// The next deadline of a dependent has come.
        case deadlineReached
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case contactsChanged(IdentifiedArrayOf<ContactData>)
            /// A load that was asked for has ended, with these words if it failed.
            case loadFinished(UserFacingError?)
        }
    }

    @Dependency(\.contactClient) var contactClient
    @Dependency(\.continuousClock) var clock
    @Dependency(\.date) var date
    @Dependency(\.effectOwner) var effectOwner

    private enum CancelID { case load, stream, deadline }

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
                .cancellable(id: effectOwner(CancelID.load), cancelInFlight: true)
            case .cancelLoading:
                state.isLoading = false
                return .cancel(id: effectOwner(CancelID.load))
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
                .cancellable(id: effectOwner(CancelID.stream), cancelInFlight: true)
            case .stopStream:
                state.isStopped = true
                return .merge(
                    .cancel(id: effectOwner(CancelID.stream)),
                    .cancel(id: effectOwner(CancelID.deadline)))
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
        let now = date.now
        let contacts = IdentifiedArray(
            contacts.map { contact in
                var contact = contact
                if let status = contact.watch?.status(at: now) { contact.watch?.status = status }
                // A copy of days ago has not heard of its end, and would keep the user from asking
                // again.
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
        guard let next = deadlines.min() else { return .cancel(id: effectOwner(CancelID.deadline)) }
        return .run { send in
            try await clock.sleep(for: max(.zero, next.since(now)))
            await send(.deadlineReached)
        }
        .cancellable(id: effectOwner(CancelID.deadline), cancelInFlight: true)
    }
}
