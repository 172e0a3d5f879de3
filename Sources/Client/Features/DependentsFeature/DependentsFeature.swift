import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The tab of the people that the user watches over.
@Reducer
public struct DependentsFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable, ContactTabState {
        public var contacts: ContactsFeature.State
        public var isLoading: Bool
        public var error: UserFacingError?
        var goneContact: UserID?
        /// Stored on the device.
        public var sortOption: SortOption
        public var alerts: RespondersFeature.State.AlertState
        /// Kept while the sheet is closed, because an answer may still arrive.
        public var contactDetails: ContactDetailsSheetViewFeature.State
        public var qrScanner: QRScannerFeature.State
        public var addContact: AddContactFeature.State
        public var ping: PingFeature.State
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

        /// The order of the cards. The device stores the raw value.
        public enum SortOption: String, CaseIterable, Sendable {
            case timeLeft, name, dateAdded
        }

        /// The badge of the tab: dependents with an open alert or a missed deadline.
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
        /// The other tab's contact list, which this tab adopts.
        case setContacts(IdentifiedArrayOf<ContactData>)
        case selectContact(ContactData)
        /// The person has tapped the card of a dependent who needs help.
        case alertTapped(ContactData)
        case showQRScanner
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
        /// The user has responded on a person's card, not on the sheet of the alert.
        case alertRequested(DependentAlertFeature.Request)
        case alertRequestAnswered(
            DependentAlertFeature.Request, Result<AlertRecord, UserFacingError>)
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case contactsChanged(IdentifiedArrayOf<ContactData>)
        }
    }

    @Dependency(\.settingsClient) private var settingsClient

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
                // A stored option that loads late must not replace this choice.
                return .merge(.cancel(id: CancelID.loadSortOption), save(option))
            case .alertTapped(let contact):
                state.dependentAlert = DependentAlertFeature.State(
                    dependent: contact, isOpeningUntold: true, replacing: state.dependentAlert)
                return .none
            case .setContacts, .contacts(.delegate(.contactsChanged)):
                guard let id = state.dependentAlert?.dependent?.id else { return .none }
                return .send(
                    .dependentAlert(.presented(.setDependent(state.contacts.contacts[id: id]))))
            case .selectContact, .showQRScanner, .codeReceived, .setError, .dismissError,
                .dismissAlerts, .contacts, .contactDetails, .qrScanner, .addContact, .ping,
                .dependentAlert, .alertRequested, .alertRequestAnswered, .delegate:
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

    /// Returns true if this dependent's deadline is earlier. A dependent who has never checked in
    /// comes last.
    fileprivate func isMoreUrgent(than other: ContactData, in locale: Locale) -> Bool {
        let (deadline, otherDeadline) = (
            watch?.nextCheckInTime ?? .distantFuture, other.watch?.nextCheckInTime ?? .distantFuture
        )
        return deadline == otherDeadline ? isBefore(other, in: locale) : deadline < otherDeadline
    }

    /// The status after a passed deadline on a page that can't ask the server.
    public static let overdueWords = "Overdue, not confirmed"

    /// Replaces "Ana has not checked in" while this device can't ask the server.
    public var unconfirmedWords: String { "\(displayName) is overdue, not confirmed" }

    /// Says that no device of the person announces pings; nil if a device does, or if that is
    /// unknown.
    public var silentPingWords: String? {
        guard hearsPings == false else { return nil }
        return """
            None of their devices announces pings: \(displayName) sees one only after opening \
            LifeSignal. Call if it’s urgent.
            """
    }

    public var pingedWords: String { hearsPings == false ? Self.leftPingWords : "Pinged" }
    public static let leftPingWords = "Ping left in LifeSignal"
}

extension DependentsFeature.Action: ContactTabAction {
    static func contactsChanged(_ contacts: IdentifiedArrayOf<ContactData>) -> Self {
        .delegate(.contactsChanged(contacts))
    }
}

extension DependentsFeature.Action.AllCasePaths: ContactTabCases {}

extension DependentsFeature.State {
    public var inTrouble: [ContactData] { sortedDependents.filter(\.needsHelp) }
    public var others: [ContactData] { sortedDependents.filter { !$0.needsHelp } }

    /// "1 person needs you now"; nil if everyone is fine.
    public var troubleWords: String? {
        let count = inTrouble.count
        guard count > 0 else { return nil }
        return count == 1 ? "1 person needs you now" : "\(count) people need you now"
    }

    public var othersTitle: String { inTrouble.isEmpty ? "Everyone you watch over" : "The others" }
}

extension DependentsFeature.State.SortOption {
    public var words: String {
        switch self {
        case .timeLeft: "Time left"
        case .name: "Name"
        case .dateAdded: "Newest"
        }
    }
}
