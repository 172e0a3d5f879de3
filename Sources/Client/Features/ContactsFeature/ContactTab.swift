import ComposableArchitecture
import Domain

/// The parts that the tabs of responders and dependents share: a contact list, a sheet for one
/// contact, and a way to add one.
protocol ContactTabState {
    var contacts: ContactsFeature.State { get set }
    var isLoading: Bool { get set }
    var error: UserFacingError? { get set }
    var alerts: RespondersFeature.State.AlertState { get set }
    var contactDetails: ContactDetailsSheetViewFeature.State { get set }
    var qrScanner: QRScannerFeature.State { get set }
    var addContact: AddContactFeature.State { get set }

    /// True if the tab shows the contact.
    static func shows(_ contact: ContactData) -> Bool
    /// How "add" opens: with the tab's own role chosen.
    static func adding(_ code: String) -> AddContactFeature.State
}

protocol ContactTabAction {
    static func contacts(_ action: ContactsFeature.Action) -> Self
    static func contactDetails(_ action: ContactDetailsSheetViewFeature.Action) -> Self
    static func addContact(_ action: AddContactFeature.Action) -> Self
    static func ping(_ action: PingFeature.Action) -> Self

    /// nil for what concerns one of the two tabs alone.
    var event: ContactTabEvent? { get }
    static func contactsChanged(_ contacts: IdentifiedArrayOf<ContactData>) -> Self
}

/// Events that both tabs handle in the same way.
enum ContactTabEvent {
    case setContacts(IdentifiedArrayOf<ContactData>)
    case selectContact(ContactData)
    case showQRScanner
    case codeReceived(String)
    case setError(UserFacingError?)
    case dismissError
    case dismissAlerts
    case contacts(ContactsFeature.Action.Delegate)
    case contactDetails(ContactDetailsSheetViewFeature.Action.Delegate)
    case qrScanner(QRScannerFeature.Action.Delegate)
    case addContact(AddContactFeature.Action.Delegate)
    case ping(PingFeature.Action.Delegate)
}

struct ContactTab<State: ContactTabState, Action: ContactTabAction>: Reducer {
    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        guard let event = action.event else { return .none }
        switch event {
        case .setContacts(let contacts):
            state.contacts.contacts = contacts
            return refreshSheet(state)
        case .selectContact(let contact):
            // The card that was tapped may be older than the list.
            let latest = state.contacts.contacts[id: contact.id] ?? contact
            state.contactDetails = ContactDetailsSheetViewFeature.State(
                contact: latest, isSheetPresented: true)
            return .none
        case .showQRScanner:
            state.qrScanner.present()
            return .none
        case .codeReceived(let code), .qrScanner(.codeScanned(let code)):
            state.addContact = State.adding(code)
            return .send(.addContact(.onAppear))
        case .setError(let error):
            state.error = error
            return .none
        case .dismissError:
            state.error = nil
            return .merge(.send(.contacts(.dismissError)), .send(.ping(.dismissError)))
        case .dismissAlerts:
            state.alerts = .init()
            return .send(.addContact(.dismissError))
        case .contacts(.contactsChanged(let contacts)):
            return .merge(refreshSheet(state), .send(.contactsChanged(contacts)))
        case .contacts(.loadFinished(let error)):
            state.isLoading = false
            if let error { state.error = error }
            return .none
        case .contactDetails(let delegate):
            return reduce(into: &state, contactDetails: delegate)
        case .addContact(let delegate):
            return reduce(into: &state, addContact: delegate)
        case .ping(let delegate):
            return reduce(into: &state, ping: delegate)
        }
    }

    private func refreshSheet(_ state: State) -> Effect<Action> {
        guard state.contactDetails.isSheetPresented, let id = state.contactDetails.contact?.id
        else { return .none }
        return .send(.contactDetails(.setContact(state.contacts.contacts[id: id])))
    }

    private func reduce(
        into state: inout State,
        contactDetails delegate: ContactDetailsSheetViewFeature.Action.Delegate
    ) -> Effect<Action> {
        switch delegate {
        case .contactUpdated(let contact):
            return .send(.contacts(.contactUpdated(contact)))
        case .contactRemoved(let id):
            return .send(.contacts(.contactRemoved(id)))
        case .contactGone(let words), .failed(let words):
            state.error = words
            return .none
        case .pingRequested(let id):
            return .send(.ping(.pingDependent(id)))
        case .clearPingRequested(let id):
            return .send(.ping(.clearPing(id)))
        case .respondToPingRequested(let id):
            return .send(.ping(.respondToPing(id)))
        }
    }

    private func reduce(
        into state: inout State, addContact delegate: AddContactFeature.Action.Delegate
    ) -> Effect<Action> {
        state.alerts = .init()
        switch delegate {
        case .contactAdded(let contact):
            state.alerts.contactAdded = State.shows(contact)
            return .send(.contacts(.contactUpdated(contact)))
        case .contactExists:
            state.alerts.contactExists = true
            return .none
        case .contactError:
            state.alerts.contactError = true
            return .none
        case .dismissed:
            return .none
        case .otherCode:
            state.qrScanner.present()
            return .none
        }
    }

    /// The cards show the answer at once; the stream says the same a moment later.
    private func reduce(into state: inout State, ping delegate: PingFeature.Action.Delegate)
        -> Effect<Action>
    {
        let contacts = state.contacts.contacts
        switch delegate {
        case .began:
            state.error = nil
            return .none
        case .pinged(let ping):
            return update(contacts[id: ping.dependentID]) { $0.pingedAt = ping.createdAt }
        case .cleared(let id):
            return update(contacts[id: id]) { $0.pingedAt = nil }
        case .responded(let id):
            return update(contacts[id: id]) { $0.hasPendingPing = false }
        case .respondedToAll(let responders):
            let answered = contacts.map { contact in
                var contact = contact
                if responders.contains(contact.id) { contact.hasPendingPing = false }
                return contact
            }
            return .send(.contacts(.contactsUpdated(answered)))
        case .failed(let error):
            state.error = error
            return .none
        }
    }

    private func update(_ contact: ContactData?, _ change: (inout ContactData) -> Void) -> Effect<
        Action
    > {
        guard var contact else { return .none }
        change(&contact)
        return .send(.contacts(.contactUpdated(contact)))
    }
}
