import ComposableArchitecture
import Domain

/// A screen with an error about a person who has left the user's contacts.
protocol NamesGoneContact {
    var error: UserFacingError? { get set }
    /// The person that the last `UserFacingError.contactGone` was about.
    var goneContact: UserID? { get set }
}

extension NamesGoneContact {
    /// Removes the error about a person who is the user's contact again.
    mutating func forgetReturned(among contacts: IdentifiedArrayOf<ContactData>) {
        guard let user = goneContact, contacts[id: user] != nil else { return }
        goneContact = nil
        if error?.code == UserFacingError.contactGoneCode { error = nil }
    }
}

/// The common parts of the responders' tab and the dependents' tab. Both have a contact list, a
/// sheet for one contact, and a way to add one.
protocol ContactTabState: NamesGoneContact {
    var contacts: ContactsFeature.State { get set }
    var isLoading: Bool { get set }
    var alerts: RespondersFeature.State.AlertState { get set }
    var contactDetails: ContactDetailsSheetViewFeature.State { get set }
    var qrScanner: QRScannerFeature.State { get set }
    var addContact: AddContactFeature.State { get set }

    static func shows(_ contact: ContactData) -> Bool
    /// The sheet that adds a contact, with the tab's own role chosen.
    static func adding(_ code: String) -> AddContactFeature.State
}

/// The action of a tab with contacts. Its case paths must include those of `ContactTabCases`.
protocol ContactTabAction: CasePathable where AllCasePaths: ContactTabCases<Self> {
    static func contacts(_ action: ContactsFeature.Action) -> Self
    static func contactDetails(_ action: ContactDetailsSheetViewFeature.Action) -> Self
    static func addContact(_ action: AddContactFeature.Action) -> Self
    static func ping(_ action: PingFeature.Action) -> Self
    static func contactsChanged(_ contacts: IdentifiedArrayOf<ContactData>) -> Self
}

protocol ContactTabCases<Root>: CasePathReflectable {
    var setContacts: AnyCasePath<Root, IdentifiedArrayOf<ContactData>> { get }
    var selectContact: AnyCasePath<Root, ContactData> { get }
    var showQRScanner: AnyCasePath<Root, Void> { get }
    var codeReceived: AnyCasePath<Root, String> { get }
    var setError: AnyCasePath<Root, UserFacingError?> { get }
    var dismissError: AnyCasePath<Root, Void> { get }
    var dismissAlerts: AnyCasePath<Root, Void> { get }
    var contacts: AnyCasePath<Root, ContactsFeature.Action> { get }
    var contactDetails: AnyCasePath<Root, ContactDetailsSheetViewFeature.Action> { get }
    var qrScanner: AnyCasePath<Root, QRScannerFeature.Action> { get }
    var addContact: AnyCasePath<Root, AddContactFeature.Action> { get }
    var ping: AnyCasePath<Root, PingFeature.Action> { get }
}

struct ContactTab<State: ContactTabState, Action: ContactTabAction>: Reducer {
    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        let cases = Action.allCasePaths
        if case .delegate(let delegate)? = cases.contacts.extract(from: action) {
            return reduce(into: &state, contacts: delegate)
        }
        if case .delegate(let delegate)? = cases.contactDetails.extract(from: action) {
            return reduce(into: &state, contactDetails: delegate)
        }
        if case .delegate(.codeScanned(let code))? = cases.qrScanner.extract(from: action) {
            return add(code, &state)
        }
        if case .delegate(let delegate)? = cases.addContact.extract(from: action) {
            return reduce(into: &state, addContact: delegate)
        }
        if case .delegate(let delegate)? = cases.ping.extract(from: action) {
            return reduce(into: &state, ping: delegate)
        }
        if let contacts = cases.setContacts.extract(from: action) {
            state.contacts.contacts = contacts
            state.forgetReturned(among: contacts)
            return refreshSheet(state)
        }
        if let contact = cases.selectContact.extract(from: action) {
            // Uses the contact from the list, because the tapped card may be outdated.
            let latest = state.contacts.contacts[id: contact.id] ?? contact
            state.contactDetails = ContactDetailsSheetViewFeature.State(
                contact: latest, isSheetPresented: true)
            return .none
        }
        if cases.showQRScanner.extract(from: action) != nil {
            state.qrScanner.present()
            return .none
        }
        if let code = cases.codeReceived.extract(from: action) { return add(code, &state) }
        if let error = cases.setError.extract(from: action) {
            state.error = error
            return .none
        }
        if cases.dismissError.extract(from: action) != nil {
            state.error = nil
            return .merge(.send(.contacts(.dismissError)), .send(.ping(.dismissError)))
        }
        if cases.dismissAlerts.extract(from: action) != nil {
            state.alerts = .init()
            return .send(.addContact(.dismissError))
        }
        return .none
    }

    private func add(_ code: String, _ state: inout State) -> Effect<Action> {
        state.addContact = State.adding(code)
        return .send(.addContact(.onAppear))
    }

    private func reduce(
        into state: inout State, contacts delegate: ContactsFeature.Action.Delegate
    ) -> Effect<Action> {
        switch delegate {
        case .contactsChanged(let contacts):
            state.forgetReturned(among: contacts)
            return .merge(refreshSheet(state), .send(.contactsChanged(contacts)))
        case .loadFinished(let error):
            state.isLoading = false
            if let error { state.error = error }
            return .none
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
        case .contactGone(let words):
            state.error = words
            state.goneContact = state.contactDetails.contact?.id
            return .none
        case .failed(let words):
            state.error = words
            return .none
        case .pingRequested(let id):
            return .send(.ping(.pingDependent(id)))
        case .clearPingRequested(let id):
            return .send(.ping(.clearPing(id)))
        case .respondToPingRequested(let id):
            return .send(.ping(.respondToPing(id)))
        case .alertRequested:
            // The main tab closes this sheet and shows the alert.
            return .none
        }
    }

    private func reduce(
        into state: inout State, addContact delegate: AddContactFeature.Action.Delegate
    ) -> Effect<Action> {
        state.alerts = .init()
        switch delegate {
        case .contactAdded(let contact):
            state.alerts.contactAdded = State.shows(contact)
            state.alerts.addedContact = State.shows(contact) ? contact : nil
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

    /// Updates the cards at once, before the stream brings the same change.
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
