import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The people the user watches over.
@Reducer
public struct DependentsFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable, ContactTabState {
        /// The contact list, of which the dependents are a part.
        public var contacts: ContactsFeature.State
        /// Something was asked of the server and has not been answered.
        public var isLoading: Bool
        /// The last failure, until it is dismissed or the next try begins.
        public var error: UserFacingError?
        /// The order that the person chose; kept on the device.
        public var sortOption: SortOption
        /// Messages about the addition of a contact.
        public var alerts: RespondersFeature.State.AlertState
        /// The sheet of one contact; kept while closed, for an answer on its way.
        public var contactDetails: ContactDetailsSheetViewFeature.State
        /// The scanner, for adding somebody.
        public var qrScanner: QRScannerFeature.State
        /// The sheet that adds whoever was scanned.
        public var addContact: AddContactFeature.State
        /// Pings between the user and the contacts of this tab.
        public var ping: PingFeature.State
        /// The alert of a dependent, as a sheet over the list.
        @Presents public var dependentAlert: DependentAlertFeature.State?

        public init(
            contacts: ContactsFeature.State = .init(), isLoading: Bool = false,
            error: UserFacingError? = nil, sortOption: SortOption = .timeLeft,
            alerts: RespondersFeature.State.AlertState = .init(),
            contactDetails: ContactDetailsSheetViewFeature.State = .init(),
            qrScanner: QRScannerFeature.State = .init(),
            addContact: AddContactFeature.State = .init(isResponder: false, isDependent: true),
            ping: PingFeature.State = .init(), dependentAlert: DependentAlertFeature.State? = nil
        ) {
            self.contacts = contacts
            self.isLoading = isLoading
            self.error = error
            self.sortOption = sortOption
            self.alerts = alerts
            self.contactDetails = contactDetails
            self.qrScanner = qrScanner
            self.addContact = addContact
            self.ping = ping
            self.dependentAlert = dependentAlert
        }

        /// How the cards are ordered. The raw value is what is kept on the device.
        public enum SortOption: String, CaseIterable, Sendable {
            case timeLeft, name, dateAdded
        }

        /// The badge of the tab: who is silent, and who calls for help, silent or not.
        public var nonResponsiveDependentsCount: Int {
            contacts.dependents.count { $0.trouble < .none }
        }

        public var sortedDependents: [ContactData] {
            let locale = contacts.locale
            return contacts.dependents.sorted { left, right in
                // People who need help come first in every order.
                guard left.trouble == right.trouble else { return left.trouble < right.trouble }
                switch sortOption {
                case .timeLeft: return left.isMoreUrgent(than: right, in: locale)
                case .name: return left.isBefore(right, in: locale)
                case .dateAdded:
                    return left.dateAdded == right.dateAdded
                        ? left.isBefore(right, in: locale) : left.dateAdded > right.dateAdded
                }
            }
        }

        static func shows(_ contact: ContactData) -> Bool { contact.isConsidered(.dependent) }
        static func adding(_ code: String) -> AddContactFeature.State {
            AddContactFeature.State(
                code: code, isResponder: false, isDependent: true, isSheetPresented: true)
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        case refreshPulled
        case setSortOption(State.SortOption)
        /// The list as the other tab has received it.
        case setContacts(IdentifiedArrayOf<ContactData>)
        case selectContact(ContactData)
        /// The card of a dependent who needs help.
        case alertTapped(ContactData)
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
        case dependentAlert(PresentationAction<DependentAlertFeature.Action>)
        case alertRequestAnswered(
            DependentAlertFeature.Request, Result<AlertRecord, UserFacingError>)
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case contactsChanged(IdentifiedArrayOf<ContactData>)
        }
    }

    @Dependency(\.settingsClient) var settingsClient

    private enum CancelID { case loadSortOption, saveSortOption }

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
        ContactTab()
        AlertRequests()
        Reduce { state, action in
            switch action {
            case .onAppear:
                let isToLoad = state.contacts.dependents.isEmpty && !state.isLoading
                return .merge(
                    isToLoad ? load(&state) : .none, loadSortOption(), .send(.ping(.startStream)))
            case .refreshPulled:
                return load(&state)
            case .onDisappear:
                state.isLoading = false
                return .merge(
                    .cancel(id: CancelID.loadSortOption), .send(.contacts(.cancelLoading)),
                    .send(.ping(.stopStream)))
            case .setSortOption(let option):
                state.sortOption = option
                // A stored option must not replace a choice just made.
                return .merge(.cancel(id: CancelID.loadSortOption), save(option))
            case .alertTapped(let contact):
                state.dependentAlert = DependentAlertFeature.State(
                    dependent: contact, isOpeningUntold: true)
                return .none
            case .setContacts, .contacts(.delegate(.contactsChanged)):
                guard let id = state.dependentAlert?.dependent?.id else { return .none }
                return .send(
                    .dependentAlert(.presented(.setDependent(state.contacts.contacts[id: id]))))
            case .selectContact, .showQRScanner, .codeReceived, .setError, .dismissError,
                .dismissAlerts, .contacts, .contactDetails, .qrScanner, .addContact, .ping,
                .dependentAlert, .alertRequestAnswered, .delegate:
                return .none
            }
        }
        .ifLet(\.$dependentAlert, action: \.dependentAlert) { DependentAlertFeature() }
    }

    private func load(_ state: inout State) -> Effect<Action> {
        state.isLoading = true
        state.error = nil
        return .send(.contacts(.loadContacts))
    }

    private func loadSortOption() -> Effect<Action> {
        .run { send in
            if let value = await settingsClient.string(key: .dependentsSortOption),
                let option = State.SortOption(rawValue: value)
            {
                await send(.setSortOption(option))
            }
        }
        .cancellable(id: CancelID.loadSortOption, cancelInFlight: true)
    }

    private func save(_ option: State.SortOption) -> Effect<Action> {
        .run { _ in
            await settingsClient.setString(value: option.rawValue, key: .dependentsSortOption)
        }
        .cancellable(id: CancelID.saveSortOption, cancelInFlight: true)
    }
}

extension ContactData {
    fileprivate enum Trouble: Int, Comparable {
        case alert, silence, none

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    fileprivate var trouble: Trouble {
        switch watch?.status {
        case .alertActive: .alert
        case .nonResponsive: .silence
        case .active, nil: .none
        }
    }

    /// The longest silence, or the least time left; who has never checked in has no deadline and
    /// comes last.
    fileprivate func isMoreUrgent(than other: ContactData, in locale: Locale) -> Bool {
        let (deadline, otherDeadline) = (
            watch?.nextCheckInTime ?? .distantFuture, other.watch?.nextCheckInTime ?? .distantFuture
        )
        return deadline == otherDeadline ? isBefore(other, in: locale) : deadline < otherDeadline
    }
}

extension DependentsFeature.Action: ContactTabAction {
    static func contactsChanged(_ contacts: IdentifiedArrayOf<ContactData>) -> Self {
        .delegate(.contactsChanged(contacts))
    }
}

extension DependentsFeature.Action.AllCasePaths: ContactTabCases {}
