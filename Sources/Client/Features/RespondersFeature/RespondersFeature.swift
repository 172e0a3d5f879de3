import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The people who are told when the user needs help, and their pings.
@Reducer
public struct RespondersFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable, ContactTabState {
        /// The contact list, of which the responders are a part.
        public var contacts: ContactsFeature.State
        /// Something was asked of the server and has not been answered.
        public var isLoading: Bool
        /// A new order of the responders is on its way.
        public var isOrdering: Bool
        /// The person has changed the order since they came to the tab.
        var hasOrdered = false
        /// The last failure, until it is dismissed or the next try begins.
        public var error: UserFacingError?
        /// Messages about the addition of a contact.
        public var alerts: AlertState
        /// The sheet of one contact; kept while closed, for an answer on its way.
        public var contactDetails: ContactDetailsSheetViewFeature.State
        /// The scanner, for adding somebody.
        public var qrScanner: QRScannerFeature.State
        /// The sheet that adds whoever was scanned.
        public var addContact: AddContactFeature.State
        /// Pings between the user and the contacts of this tab.
        public var ping: PingFeature.State
        /// The test of the responders.
        public var drill: DrillFeature.State
        /// Responders without an account.
        public var invitations: InvitationsFeature.State

        public init(
            contacts: ContactsFeature.State = .init(), isLoading: Bool = false,
            isOrdering: Bool = false, error: UserFacingError? = nil, alerts: AlertState = .init(),
            contactDetails: ContactDetailsSheetViewFeature.State = .init(),
            qrScanner: QRScannerFeature.State = .init(),
            addContact: AddContactFeature.State = .init(), ping: PingFeature.State = .init(),
            drill: DrillFeature.State = .init(), invitations: InvitationsFeature.State = .init()
        ) {
            self.contacts = contacts
            self.isLoading = isLoading
            self.isOrdering = isOrdering
            self.error = error
            self.alerts = alerts
            self.contactDetails = contactDetails
            self.qrScanner = qrScanner
            self.addContact = addContact
            self.ping = ping
            self.drill = drill
            self.invitations = invitations
        }

        /// Messages about adding a contact. Nested, because the library has an `AlertState` of its
        /// own.
        public struct AlertState: Equatable, Sendable {
            public var contactAdded: Bool
            public var contactExists: Bool
            /// The words are in `addContact.error`.
            public var contactError: Bool

            public init(
                contactAdded: Bool = false, contactExists: Bool = false, contactError: Bool = false
            ) {
                self.contactAdded = contactAdded
                self.contactExists = contactExists
                self.contactError = contactError
            }
        }

        /// The badge of the tab: responders who wait for an answer.
        public var pendingPingsCount: Int { contacts.responders.filter { $0.hasPendingPing }.count }

        /// Responders who wait for an answer first, then by name.
        public var sortedResponders: [ContactData] {
            contacts.responders.sorted { left, right in
                left.hasPendingPing == right.hasPendingPing
                    ? left.isBefore(right, in: contacts.locale) : left.hasPendingPing
            }
        }

        static func shows(_ contact: ContactData) -> Bool { contact.isConsidered(.responder) }
        static func adding(_ code: String) -> AddContactFeature.State {
            AddContactFeature.State(
                code: code, isResponder: true, isDependent: false, isSheetPresented: true)
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        case refreshPulled
        /// The list as the other tab has received it.
        case setContacts(IdentifiedArrayOf<ContactData>)
        case selectContact(ContactData)
        case moveResponder(UserID, Direction)
        case orderResponse(Result<[ContactData], UserFacingError>)
        case showQRScanner
        /// A code that did not come by this tab's scanner: a link that was opened.
        case codeReceived(String)
        case setError(UserFacingError?)
        case dismissError
        case dismissAlerts
        case contacts(ContactsFeature.Action)
        case contactDetails(ContactDetailsSheetViewFeature.Action)
        case qrScanner(QRScannerFeature.Action)
        case addContact(AddContactFeature.Action)
        case ping(PingFeature.Action)
        case drill(DrillFeature.Action)
        case invitations(InvitationsFeature.Action)
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case contactsChanged(IdentifiedArrayOf<ContactData>)
        }
    }

    @Dependency(\.contactClient) var contactClient

    public init() {}

    public var body: some ReducerOf<Self> {
        Scope(state: \.contacts, action: \.contacts) { ContactsFeature() }
        LastResponder { if case .contactDetails(let action) = $0 { action } else { nil } }
        Scope(state: \.contactDetails, action: \.contactDetails) {
            ContactDetailsSheetViewFeature()
        }
        Scope(state: \.qrScanner, action: \.qrScanner) { QRScannerFeature() }
        Scope(state: \.addContact, action: \.addContact) { AddContactFeature() }
        Scope(state: \.ping, action: \.ping) { PingFeature() }
        Scope(state: \.drill, action: \.drill) { DrillFeature() }
        Scope(state: \.invitations, action: \.invitations) { InvitationsFeature() }
        ContactTab()
        Reduce { state, action in
            switch action {
            case .onAppear:
                guard state.contacts.responders.isEmpty, !state.isLoading else {
                    return .send(.ping(.startStream))
                }
                return .merge(load(&state), .send(.ping(.startStream)))
            case .refreshPulled:
                return load(&state)
            case .onDisappear:
                state.isLoading = false
                state.hasOrdered = false
                return .merge(.send(.contacts(.cancelLoading)), .send(.ping(.stopStream)))
            case .moveResponder(let id, let direction):
                return move(id, direction, &state)
            case .orderResponse(let result):
                return order(result, &state)
            case .setContacts, .selectContact, .showQRScanner, .codeReceived, .setError,
                .dismissError, .dismissAlerts, .contacts, .contactDetails, .qrScanner, .addContact,
                .ping, .drill, .invitations, .delegate:
                return .none
            }
        }
    }

    private func load(_ state: inout State) -> Effect<Action> {
        state.isLoading = true
        state.error = nil
        return .send(.contacts(.loadContacts))
    }
}

extension RespondersFeature.Action: ContactTabAction {
    static func contactsChanged(_ contacts: IdentifiedArrayOf<ContactData>) -> Self {
        .delegate(.contactsChanged(contacts))
    }
}

extension RespondersFeature.Action.AllCasePaths: ContactTabCases {}
