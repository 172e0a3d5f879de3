import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The four tabs, the badges, and one contact list for all of them.
@Reducer
public struct MainTabFeature: Sendable {
    public enum Tab: String, Equatable, Sendable, CaseIterable {
        case home, responders, dependents, profile
    }

    @ObservableState
    public struct State: Equatable, Sendable {
        /// The signed-in user.
        public var userID: UserID
        /// The tab in front.
        public var selectedTab: Tab
        /// Check-in and the user's own alert.
        public var home: HomeFeature.State
        /// The user's responders; this contact stream serves both lists.
        public var responders: RespondersFeature.State
        /// The user's dependents.
        public var dependents: DependentsFeature.State
        /// The notification centre, and the count of its bell.
        public var notifications: NotificationFeature.State
        /// Notices about the alerts of others, over the tabs.
        public var alertNews: AlertNewsFeature.State
        /// The user's own profile and settings.
        public var profile: ProfileFeature.State
        /// The centre lies over the tabs.
        public var isNotificationCentrePresented: Bool
        /// About an opened notification, or an answer to a closed sheet.
        public var error: UserFacingError?
        /// A notification tapped before the contact list had loaded.
        var subjectToOpen: NotificationSubject?
        /// Contacts that were added here, with the server's time of it.
        var added: [UserID: Date] = [:]
        /// The alert that a notification has opened, as a sheet.
        @Presents public var dependentAlert: DependentAlertFeature.State?

        public init(
            userID: UserID, selectedTab: Tab = .home, home: HomeFeature.State = .init(),
            responders: RespondersFeature.State = .init(),
            dependents: DependentsFeature.State = .init(),
            notifications: NotificationFeature.State = .init(),
            profile: ProfileFeature.State = .init(), isNotificationCentrePresented: Bool = false,
            error: UserFacingError? = nil
        ) {
            self.userID = userID
            self.selectedTab = selectedTab
            self.home = home
            self.responders = responders
            self.dependents = dependents
            self.notifications = notifications
            self.alertNews = AlertNewsFeature.State(ownID: userID)
            self.profile = profile
            self.isNotificationCentrePresented = isNotificationCentrePresented
            self.error = error
        }
    }

    /// Indirect: it has the actions of all screens in it, and would be as large as the largest of
    /// them wherever it is kept or handed on.
    public indirect enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        case tabSelected(Tab)
        case notificationCentreButtonTapped
        case notificationCentreDismissed
        /// A notification was tapped, in the centre or outside of the app.
        case opened(NotificationSubject)
        /// Somebody who needs help, shown over the tabs.
        case alertTapped(ContactData)
        case alertRequestAnswered(
            DependentAlertFeature.Request, Result<AlertRecord, UserFacingError>)
        case openedAlertResponse(Result<AlertRecord, UserFacingError>, id: AlertID, user: UserID?)
        /// The code of a link that was opened.
        case linkOpened(code: String)
        case dismissError
        /// Opens the way to add a responder.
        case addResponderRequested
        case home(HomeFeature.Action)
        case responders(RespondersFeature.Action)
        case dependents(DependentsFeature.Action)
        case notifications(NotificationFeature.Action)
        case alertNews(AlertNewsFeature.Action)
        case profile(ProfileFeature.Action)
        case dependentAlert(PresentationAction<DependentAlertFeature.Action>)
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case signedOut
            case accountDeleted
        }
    }

    @Dependency(\.alertClient) var alertClient

    enum CancelID { case openAlert }

    public init() {}

    public var body: some ReducerOf<Self> {
        Scope(state: \.home, action: \.home) { HomeFeature() }
        Scope(state: \.responders, action: \.responders) {
            RespondersFeature().dependency(\.effectOwner, .responders)
        }
        Scope(state: \.dependents, action: \.dependents) {
            DependentsFeature().dependency(\.effectOwner, .dependents)
        }
        Scope(state: \.notifications, action: \.notifications) {
            NotificationFeature().dependency(\.effectOwner, .notifications)
        }
        Scope(state: \.alertNews, action: \.alertNews) { AlertNewsFeature() }
        Scope(state: \.profile, action: \.profile) { ProfileFeature() }
        AlertRequests()
        Reduce { state, action in
            switch action {
            case .onAppear:
                // One stream of contacts for both tabs, that of the bell, and that of the user's
                // own alerts: they show on every tab.
                return .merge(
                    .send(.responders(.contacts(.startStream))),
                    .send(.notifications(.startStream)), .send(.home(.alert(.startStream))),
                    .send(.alertNews(.startStream)), .send(.home(.push(.startStream))))
            case .onDisappear:
                return .merge(
                    .send(.responders(.contacts(.stopStream))),
                    .send(.dependents(.contacts(.stopStream))), .send(.notifications(.stopStream)),
                    .send(.home(.alert(.stopStream))), .send(.alertNews(.stopStream)),
                    .send(.home(.push(.stopStream))),
                    .cancel(id: CancelID.openAlert))
            case .tabSelected(let tab):
                state.subjectToOpen = nil
                state.selectedTab = tab
                state.putAwayContacts()
                // Choosing a tab leaves the centre, for layouts in which the tabs stay in reach
                // beside it.
                state.isNotificationCentrePresented = false
                // A notification whose alert is still being loaded must not lead away again.
                let cancellation = Effect<Action>.cancel(id: CancelID.openAlert)
                guard tab == .profile, state.profile.settings != nil else { return cancellation }
                return .merge(cancellation, .send(.profile(.destination(.dismiss))))
            case .notificationCentreButtonTapped:
                state.isNotificationCentrePresented = true
                return .cancel(id: CancelID.openAlert)
            case .notificationCentreDismissed:
                state.isNotificationCentrePresented = false
                return .none
            case .notifications(.delegate(.opened(let subject))), .opened(let subject):
                return open(subject, &state)
            case .alertTapped(let contact):
                state.isNotificationCentrePresented = false
                present(nil, of: contact, nil, &state)
                return .cancel(id: CancelID.openAlert)
            case .openedAlertResponse(let result, let id, let user):
                return show(result, id: id, user: user, &state)
            case .home(.delegate(.codeScanned(let code))),
                .profile(.delegate(.codeScanned(let code))), .linkOpened(let code):
                return addContact(code, &state)
            case .addResponderRequested, .home(.alert(.delegate(.addResponder))),
                .home(.cards(.delegate(.addResponder))):
                state.selectedTab = .responders
                state.isNotificationCentrePresented = false
                return .send(.responders(.showQRScanner))
            case .responders(.contacts(.contactsUpdated)):
                // An empty list is no change, and still the first word on whether there is anybody.
                state.home.alert.setResponders(among: state.responders.contacts.contacts)
                state.home.cards.contacts = state.responders.contacts.contacts
                return .none
            case .home(.cards(.delegate(.contactUpdated(let contact)))):
                return .send(.responders(.contacts(.contactUpdated(contact))))
            case .home(.cards(.delegate(.contactRemoved(let id)))):
                return .send(.responders(.contacts(.contactRemoved(id))))
            case .responders(.delegate(.contactsChanged(let contacts))):
                return share(contacts, with: state.dependents.contacts, &state) {
                    .dependents(.setContacts($0))
                }
            case .dependents(.delegate(.contactsChanged(let contacts))):
                return share(contacts, with: state.responders.contacts, &state) {
                    .responders(.setContacts($0))
                }
            case .responders(.contacts(.contactUpdated)), .dependents(.contacts(.contactUpdated)),
                .responders(.contacts(.contactRemoved)), .dependents(.contacts(.contactRemoved)):
                // This answer may be older than the stream's last list, which the stream does not
                // repeat. Begun anew, it starts with the current list.
                guard !state.responders.contacts.isStopped else { return .none }
                return .send(.responders(.contacts(.startStream)))
            case .responders(.addContact(.delegate(.contactAdded(let contact)))),
                .dependents(.addContact(.delegate(.contactAdded(let contact)))):
                state.added[contact.id] = contact.dateAdded
                return .none
            case .profile(.delegate(.signedOut)):
                return .send(.delegate(.signedOut))
            case .profile(.delegate(.accountDeleted)):
                return .send(.delegate(.accountDeleted))
            case .dismissError:
                state.error = nil
                return .none
            case .home, .responders, .dependents, .notifications, .alertNews, .profile,
                .dependentAlert, .alertRequestAnswered, .delegate:
                return .none
            }
        }
        .ifLet(\.$dependentAlert, action: \.dependentAlert) { DependentAlertFeature() }
    }

    /// Passes one tab's contact list to the other tab and to the open alert. `setContacts` has no
    /// effects, so nothing echoes.
    private func share(
        _ contacts: IdentifiedArrayOf<ContactData>, with other: ContactsFeature.State,
        _ state: inout State,
        _ receive: (IdentifiedArrayOf<ContactData>) -> Action
    ) -> Effect<Action> {
        state.home.alert.setResponders(among: contacts)
        state.home.cards.contacts = contacts
        var effects: [Effect<Action>] = []
        if contacts != other.contacts { effects.append(.send(receive(contacts))) }
        if let dependent = state.dependentAlert?.dependentID {
            effects.append(
                .send(.dependentAlert(.presented(.setDependent(contacts[id: dependent])))))
        }
        if let subject = state.subjectToOpen {
            state.subjectToOpen = nil
            effects.append(openPerson(of: subject, in: contacts, &state))
        }
        return .merge(effects)
    }
}
