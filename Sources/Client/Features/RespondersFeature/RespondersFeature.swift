import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The tab of the user's responders, and their pings.
@Reducer
public struct RespondersFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable, ContactTabState {
        public var contacts: ContactsFeature.State
        public var isLoading: Bool
        public var isOrdering: Bool
        /// True if the person has changed the order since they opened the tab.
        fileprivate var hasOrdered = false
        public var error: UserFacingError?
        var goneContact: UserID?
        public var alerts: AlertState
        /// Kept while the sheet is closed, because an answer may still arrive.
        public var contactDetails: ContactDetailsSheetViewFeature.State
        public var qrScanner: QRScannerFeature.State
        public var addContact: AddContactFeature.State
        public var ping: PingFeature.State
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

        /// Messages about adding a contact. Nested, because the library has its own `AlertState`.
        public struct AlertState: Equatable, Sendable {
            public var contactAdded: Bool
            public var addedContact: ContactData?
            public var contactExists: Bool
            /// True if adding a contact failed. The error itself is in `addContact.error`.
            public var contactError: Bool

            public init(
                contactAdded: Bool = false, contactExists: Bool = false, contactError: Bool = false
            ) {
                self.contactAdded = contactAdded
                self.contactExists = contactExists
                self.contactError = contactError
            }
        }

        /// The badge of the tab: responders with an unanswered ping.
        public var pendingPingsCount: Int { contacts.responders.filter { $0.hasPendingPing }.count }

        /// Responders with an unanswered ping first, then by name.
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
        /// The other tab's contact list, which this tab adopts.
        case setContacts(IdentifiedArrayOf<ContactData>)
        case selectContact(ContactData)
        case moveResponder(UserID, Direction)
        case orderResponse(Result<[ContactData], UserFacingError>)
        case showQRScanner
        case inviteRequested
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

    @Dependency(\.contactClient) private var contactClient

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
            case .inviteRequested, .qrScanner(.delegate(.inviteInstead)):
                state.invitations.timesOpened += 1
                return .none
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

extension RespondersFeature {
    public enum Direction: Equatable, Sendable { case up, down }

    private func move(_ id: UserID, _ direction: Direction, _ state: inout State) -> Effect<Action>
    {
        guard !state.isOrdering, state.canMove(id, direction) else { return .none }
        var ids = state.responderOrder.map(\.id)
        guard let index = ids.firstIndex(of: id) else { return .none }
        ids.swapAt(index, direction == .up ? index - 1 : index + 1)
        state.isOrdering = true
        state.error = nil
        return .run { [ids] send in
            let result = await Result.userFacing { try await contactClient.orderResponders(ids) }
            await send(.orderResponse(result))
        }
    }

    private func order(
        _ result: Result<[ContactData], UserFacingError>, _ state: inout State
    ) -> Effect<Action> {
        state.isOrdering = false
        switch result {
        case .success(let contacts):
            state.hasOrdered = true
            // The stream brings the same list, and may have done so already.
            return .send(.contacts(.contactsUpdated(contacts)))
        case .failure(let error):
            state.error = error
            return .none
        }
    }
}

extension RespondersFeature.State {
    /// Responders who have accepted and have a number, in the order of calls.
    public var responderOrder: [ContactData] {
        contacts.responders.filter(\.isCalled).sorted { $0.isCalledBefore($1) }
    }

    /// The screen reader's text about the new order after a move.
    public var orderNews: String {
        guard hasOrdered, !isOrdering else { return "" }
        return responderOrder.map { ProfileRules.displayName($0.name) }.joined(separator: ", ")
    }

    public func canMove(_ id: UserID, _ direction: RespondersFeature.Direction) -> Bool {
        let end = direction == .up ? responderOrder.first : responderOrder.last
        return responderOrder.contains { $0.id == id } && end?.id != id
    }

    public var pingsTitle: String? {
        switch pendingPingsCount {
        case ...0: nil
        case 1: "1 responder asks whether you are fine"
        default: "\(pendingPingsCount) responders ask whether you are fine"
        }
    }
}

extension ContactData {
    public var responderWords: String {
        if let request = request(.responder) {
            return request.isMine
                ? "You asked them to be your responder" : "Asks to be your responder"
        }
        return isDependent
            ? "Is told when you need help; you watch over each other"
            : "Is told when you need help"
    }

    public var dependentRequestWords: String? {
        request(.dependent).map {
            $0.isMine ? "You asked to be their responder" : "Asks you to be their responder"
        }
    }

    fileprivate var additionWords: String {
        let isAsked = request(.responder)?.isMine == true
        return switch (isResponder, isDependent) {
        case (true, true): "The contact was added. Each of you is told when the other needs help."
        case (true, false): "The contact was added. \(displayName) is told when you need help."
        case (false, true):
            "The contact was added. You are told when \(displayName) needs help."
                + (isAsked ? " \(displayName) has not accepted yet to be your responder." : "")
        case (false, false):
            "You asked \(displayName) to be your responder. They have not accepted yet."
        }
    }
}

extension RespondersFeature.State.AlertState {
    /// True once no request to or from the added contact is open.
    public var isAdditionComplete: Bool {
        contactAdded && addedContact?.requests.isEmpty != false
    }

    public var words: String? {
        if contactAdded { return addedContact?.additionWords ?? "The contact was added." }
        return contactExists
            ? "You are contacts already. Open their card to change roles." : nil
    }
}
