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
        public var userID: UserID
        public var selectedTab: Tab
        public var home: HomeFeature.State
        /// The contact stream of this tab also serves the dependents' tab.
        public var responders: RespondersFeature.State
        public var dependents: DependentsFeature.State
        /// The notification centre. Its button, the bell, shows the number of unread notifications.
        public var notifications: NotificationFeature.State
        /// Notices about other people's alerts, above the tabs.
        public var alertNews: AlertNewsFeature.State
        public var profile: ProfileFeature.State
        public var isNotificationCentrePresented: Bool
        /// The error of an opened notification, or of an answer that arrived after its sheet was
        /// closed.
        public var error: UserFacingError?
        var goneContact: UserID?
        /// A notification that was tapped before the contact list had loaded.
        var subjectToOpen: NotificationSubject?
        /// The contacts that were added on this device, each with the server's time of the
        /// addition.
        fileprivate var added: [UserID: Date] = [:]
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

    /// Indirect, because it contains the actions of all screens. Otherwise every value would be as
    /// large as the largest of them.
    public indirect enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        case tabSelected(Tab)
        case notificationCentreButtonTapped
        case notificationCentreDismissed
        /// A notification was tapped, in the centre or outside of the app.
        case opened(NotificationSubject)
        /// The user has tapped a dependent who needs help in the notice above the tabs.
        case alertTapped(ContactData)
        /// The user has responded on a person's card, not on the sheet of the alert.
        case alertRequested(DependentAlertFeature.Request)
        case alertRequestAnswered(
            DependentAlertFeature.Request, Result<AlertRecord, UserFacingError>)
        case openedAlertResponse(Result<AlertRecord, UserFacingError>, id: AlertID, user: UserID?)
        case linkOpened(code: String)
        case dismissError
        case addResponderRequested
        case inviteRequested
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
            /// The person has signed out, with the actions that are kept unsent.
            case signedOut([WaitingAction])
            case accountDeleted
        }
    }

    @Dependency(\.alertClient) private var alertClient

    private enum CancelID { case openAlert }

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
        Reduce { state, action in
            if case .profile(.signOutButtonTapped) = action {
                state.profile.unfinished.alerts = state.home.alert.openKinds
            }
            // A page that begins with the profile or the settings has not shown Home.
            if case .profile(.profileChanged(let profile)) = action {
                state.home.emergencyNumber = EmergencyNumber(for: profile.phoneNumber)
            }
            return .none
        }
        Scope(state: \.profile, action: \.profile) { ProfileFeature() }
        AlertRequests()
        Reduce { state, action in
            switch action {
            case .onAppear:
                // The tabs of responders and dependents share one contact stream. The bell needs
                // the stream of notifications. Every tab shows the user's own alerts.
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
                // Closes the notification centre, because some layouts show the tabs beside it.
                state.isNotificationCentrePresented = false
                // The sheet of another person's alert has a button to the user's own alert.
                state.dependentAlert = nil
                // A notification whose alert is still loading must not switch the tab later.
                var effects = [Effect<Action>.cancel(id: CancelID.openAlert)]
                if state.dependents.dependentAlert != nil {
                    effects.append(.send(.dependents(.dependentAlert(.dismiss))))
                }
                if tab == .profile, state.profile.settings != nil {
                    effects.append(.send(.profile(.destination(.dismiss))))
                }
                return .merge(effects)
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
                let replaced = state.dependentAlert
                let dismissals = putAwaySheets(&state)
                present(nil, of: contact, nil, replacing: replaced, &state)
                return .merge(dismissals, .cancel(id: CancelID.openAlert))
            case .responders(.contactDetails(.delegate(.alertRequested(let contact)))),
                .dependents(.contactDetails(.delegate(.alertRequested(let contact)))):
                return .send(.alertTapped(contact))
            case .dependents(.alertTapped):
                // The tab presents its own sheet, which would cover this one.
                state.dependentAlert = nil
                return .none
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
            case .inviteRequested:
                state.selectedTab = .responders
                state.isNotificationCentrePresented = false
                return .send(.responders(.inviteRequested))
            case .responders(.contacts(.contactsUpdated)):
                // An empty first list sends no `contactsChanged`, but shows that the user has no
                // contacts.
                state.home.alert.setResponders(among: state.responders.contacts.contacts)
                state.home.setContacts(state.responders.contacts.contacts)
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
                // This answer may be older than the stream's last list, which the stream doesn't
                // repeat. A restarted stream begins with the current list.
                guard !state.responders.contacts.isStopped else { return .none }
                return .send(.responders(.contacts(.startStream)))
            case .responders(.addContact(.delegate(.contactAdded(let contact)))),
                .dependents(.addContact(.delegate(.contactAdded(let contact)))):
                state.added[contact.id] = contact.dateAdded
                return .none
            case .profile(.destination(.presented(.settings(.alertTriggerChosen(let trigger))))):
                return .send(.home(.alert(.triggerChanged(trigger))))
            case .profile(.delegate(.signedOut(let unsent))):
                return .send(.delegate(.signedOut(unsent)))
            case .profile(.delegate(.accountDeleted)):
                return .send(.delegate(.accountDeleted))
            case .dismissError:
                state.error = nil
                return .none
            case .home, .responders, .dependents, .notifications, .alertNews, .profile,
                .dependentAlert, .alertRequested, .alertRequestAnswered, .delegate:
                return .none
            }
        }
        .ifLet(\.$dependentAlert, action: \.dependentAlert) { DependentAlertFeature() }
    }

    /// Passes one tab's contact list to the other tab and to the open alert. `setContacts` has no
    /// effects, so the list isn't passed back.
    private func share(
        _ contacts: IdentifiedArrayOf<ContactData>, with other: ContactsFeature.State,
        _ state: inout State,
        _ receive: (IdentifiedArrayOf<ContactData>) -> Action
    ) -> Effect<Action> {
        state.home.alert.setResponders(among: contacts)
        state.home.setContacts(contacts)
        state.forgetReturned(among: contacts)
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

extension MainTabFeature {
    private func open(_ subject: NotificationSubject, _ state: inout State) -> Effect<Action> {
        let replaced = state.dependentAlert
        let dismissals = putAwaySheets(&state, but: subject.alert)
        state.error = nil
        state.subjectToOpen = nil
        return .merge(dismissals, show(subject, replacing: replaced, &state))
    }

    private func show(
        _ subject: NotificationSubject, replacing replaced: DependentAlertFeature.State?,
        _ state: inout State
    ) -> Effect<Action> {
        switch subject {
        case .alert(_, let user) where user == state.userID:
            state.selectedTab = .home
            return .cancel(id: CancelID.openAlert)
        case .alert(let id, let user):
            if let contact = user.flatMap({ state.contact($0) }), contact.isDependent,
                !contact.isResponder
            {
                present(id, of: contact, nil, replacing: replaced, &state)
                return .cancel(id: CancelID.openAlert)
            }
            // Loads the alert, because only the alert names its owner. The notification "Ben is on
            // it" names Ben, although the alert is the user's.
            return .run { send in
                await send(
                    .openedAlertResponse(
                        .userFacing { try await alertClient.alert(id: id) }, id: id, user: user))
            }
            .cancellable(id: CancelID.openAlert, cancelInFlight: true)
        case .ping, .person:
            return .merge(.cancel(id: CancelID.openAlert), openWhenKnown(subject, &state))
        case .home:
            state.selectedTab = .home
            return .cancel(id: CancelID.openAlert)
        case .centre:
            state.isNotificationCentrePresented = true
            return .cancel(id: CancelID.openAlert)
        }
    }

    /// Opens the person's sheet, now or once the contact list has loaded.
    private func openWhenKnown(_ subject: NotificationSubject, _ state: inout State) -> Effect<
        Action
    > {
        let contacts = state.responders.contacts.contacts
        guard contacts.isEmpty, subject.user != nil else {
            return openPerson(of: subject, in: contacts, &state)
        }
        state.subjectToOpen = subject
        return .none
    }

    /// Opens the sheet of the person that the notification names. Does nothing for a removed
    /// contact.
    private func openPerson(
        of subject: NotificationSubject, in contacts: IdentifiedArrayOf<ContactData>,
        _ state: inout State
    ) -> Effect<Action> {
        switch subject {
        case .ping(_, let user):
            guard let contact = user.flatMap({ contacts[id: $0] }) else { return .none }
            // A ping to answer is from a responder. News about the user's own ping is from a
            // dependent.
            return showDetails(
                of: contact,
                in: contact.hasPendingPing || !contact.isDependent ? .responders : .dependents,
                &state)
        case .alert(_, let user?), .person(let user):
            guard let contact = contacts[id: user] else { return .none }
            return showDetails(
                of: contact, in: contact.isConsidered(.dependent) ? .dependents : .responders,
                &state)
        case .alert(_, nil), .home, .centre:
            return .none
        }
    }

    private func show(
        _ result: Result<AlertRecord, UserFacingError>, id: AlertID, user: UserID?,
        _ state: inout State
    ) -> Effect<Action> {
        switch result {
        case .success(let alert) where alert.userId == state.userID.description:
            state.selectedTab = .home
            return .none
        case .success(let alert):
            let replaced = state.dependentAlert
            let dismissals = putAwaySheets(&state)
            present(
                id, of: UserID(alert.userId).flatMap { state.contact($0) }, alert,
                replacing: replaced, &state)
            return dismissals
        case .failure(let error):
            state.error = error
            // Waits for the contact list, because it has the phone number even offline.
            return openWhenKnown(.alert(id, user: user), &state)
        }
    }

    /// Presents the sheet of an alert. Call this after open sheets are dismissed.
    /// - Parameter id: nil for the open alert of `dependent`.
    private func present(
        _ id: AlertID?, of dependent: ContactData?, _ alert: AlertRecord?,
        replacing replaced: DependentAlertFeature.State?, _ state: inout State
    ) {
        state.selectedTab = .dependents
        state.dependentAlert = DependentAlertFeature.State(
            alertID: id, dependent: dependent, alert: alert, ownID: state.userID,
            isOpeningUntold: true, replacing: replaced)
    }

    /// Opens the sheet in the dependents' tab, because a person who shows a code wants a responder.
    /// The user can choose both roles there.
    private func addContact(_ code: String, _ state: inout State) -> Effect<Action> {
        let dismissals = putAwaySheets(&state)
        state.selectedTab = .dependents
        return .merge(dismissals, .send(.dependents(.codeReceived(code))))
    }

    /// Dismisses all sheets. An iPhone shows one sheet at a time, so an open sheet would hide the
    /// new one. An action dismisses each sheet that has effects. Its tab then cancels the effects
    /// at once.
    /// - Parameter alert: the alert whose sheet stays open; nil to dismiss all.
    func putAwaySheets(_ state: inout State, but alert: AlertID? = nil) -> Effect<Action> {
        state.putAwaySheets(but: alert)
        let sheets: [(isOpen: Bool, dismissal: Action)] = [
            (
                state.responders.qrScanner.isSheetPresented,
                .responders(.qrScanner(.dismissButtonTapped))
            ),
            (
                state.responders.addContact.isSheetPresented,
                .responders(.addContact(.cancelButtonTapped))
            ),
            (
                state.dependents.qrScanner.isSheetPresented,
                .dependents(.qrScanner(.dismissButtonTapped))
            ),
            (
                state.dependents.addContact.isSheetPresented,
                .dependents(.addContact(.cancelButtonTapped))
            ),
            (state.dependents.dependentAlert != nil, .dependents(.dependentAlert(.dismiss))),
            (state.home.qrCode != nil, .home(.qrCode(.dismiss))),
            (state.profile.qrCode != nil, .profile(.qrCode(.dismiss))),
            (state.profile.destination != nil, .profile(.destination(.dismiss))),
        ]
        return .merge(sheets.filter(\.isOpen).map { .send($0.dismissal) })
    }

    private func showDetails(of contact: ContactData, in tab: Tab, _ state: inout State) -> Effect<
        Action
    > {
        state.selectedTab = tab
        return .send(
            tab == .responders
                ? .responders(.selectContact(contact)) : .dependents(.selectContact(contact)))
    }
}

extension MainTabFeature.State {
    /// Closes contact sheets that would cover a person who needs help.
    fileprivate mutating func putAwayContacts() {
        for tab in [\Self.responders.contactDetails, \Self.dependents.contactDetails] {
            self[keyPath: tab].isSheetPresented = false
            self[keyPath: tab].confirmation = nil
        }
    }

    fileprivate mutating func putAwaySheets(but alert: AlertID?) {
        putAwayContacts()
        isNotificationCentrePresented = false
        notifications.confirmDelete = nil
        if alert == nil || dependentAlert?.alertID != alert { dependentAlert = nil }
        home.checkIn.scheduleSheet = nil
        home.checkIn.pause.sheet = nil
        (home.journey.form, home.journey.laterReturn) = (nil, nil)
        home.drill.confirmation = nil
        responders.drill.confirmation = nil
        profile.isEditing = false
        profile.confirmSignOut = nil
    }

    func contact(_ id: UserID) -> ContactData? { responders.contacts.contacts[id: id] }

    /// The number on a tab's badge; 0 hides the badge.
    public func badge(of tab: MainTabFeature.Tab) -> Int {
        switch tab {
        case .home: home.cards.requests.count
        case .profile: 0
        case .responders: responders.pendingPingsCount
        case .dependents: dependents.nonResponsiveDependentsCount
        }
    }

    public var unreadNotificationsCount: Int { notifications.unreadCount }
    public var unreadNotificationsNumber: String { notifications.unreadNumber }

    /// The unread notification that another person has added the user as a contact, with their
    /// present relation. Excludes contacts that were added on this device, even before the answer
    /// has arrived.
    public var newContact: NotificationItem? {
        guard !responders.addContact.isAdding, !dependents.addContact.isAdding else { return nil }
        for item in notifications.notifications
        where item.type == .contactAdded && item.readAt == nil {
            guard let user = item.aboutUserID else { return item }
            if let time = added[user], item.createdAt <= time { continue }
            guard let contacts = home.cards.contacts else { return item }
            if let current = item.current(with: contacts[id: user]) { return current }
        }
        return nil
    }

    public var title: String {
        if isNotificationCentrePresented { return "Notifications" }
        return selectedTab == .profile && profile.settings != nil ? "Settings" : selectedTab.title
    }

    public func shows(_ tab: MainTabFeature.Tab) -> Bool {
        tab == selectedTab && !isNotificationCentrePresented
    }

    public func badgeWords(of tab: MainTabFeature.Tab) -> String {
        let count = badge(of: tab)
        switch tab {
        case .home: return count == 1 ? "request" : "requests"
        case .responders: return "waiting for your answer"
        case .dependents, .profile:
            let isCalling = dependents.sortedDependents.contains {
                $0.watch?.status == .alertActive
            }
            guard isCalling else { return "not responding" }
            return count == 1 ? "needs help" : "need help"
        }
    }

    /// The title of the latest notification, for screen readers. Excludes alerts, which another
    /// element announces at once.
    public var news: String {
        // The centre shows the notification as a heading, and a new contact has a banner. Neither
        // needs an announcement here.
        guard !isNotificationCentrePresented,
            let newest = notifications.notifications.first, newest.readAt == nil,
            newest.type != .alert, newest.type != .contactAdded
        else { return "" }
        return newest.title
    }

    /// A new contact for a banner on every screen; nil during an emergency.
    public var newContactBanner: NotificationItem? {
        let isEmergency =
            home.alert.isOnOrBeingRaised || home.alert.missedCheckIn != nil
            || home.alert.overdueJourney != nil || dependents.nonResponsiveDependentsCount > 0
        return isEmergency || isNotificationCentrePresented ? nil : newContact
    }

    /// Dependents who need help, for a notice on every tab except Dependents.
    public var troubled: [ContactData] {
        shows(.dependents) ? [] : dependents.inTrouble
    }

    /// "Ben is on it"; nil without an acknowledgement.
    public func helperWords(for contact: ContactData) -> String? {
        alertNews.acknowledgements[contact.id].map { $0.words(isMine: isOwn($0)) }
    }

    public func reportNotice(for contact: ContactData) -> ReportNotice? {
        alertNews.reports[contact.id].map { report in
            let isMine = UserID(report.action.responderId) == userID
            return ReportNotice(
                words: report.action.kind.words(
                    by: isMine ? nil : ProfileRules.displayName(report.action.name),
                    about: ProfileRules.displayName(contact.name)),
                time: report.action.time, end: report.end,
                request: .init(.resume, to: report.alertID),
                alertsEveryone: AlertRules.liftingAlertsEveryone(
                    by: report.action.responderId,
                    whileHelpedBy: alertNews.acknowledgements[contact.id]?.responderId))
        }
    }

    /// "Ana has raised an alert", "Ana has not checked in", "Ana is not back from Zugspitze"
    public func troubleWords(for contact: ContactData) -> String {
        alertNews.journeys[contact.id].map {
            JourneyWords.notBack(contact.displayName, from: $0.journey)
        } ?? contact.troubleWords
    }

    public func isOwn(_ acknowledgement: AlertRecord.Acknowledgement) -> Bool {
        UserID(acknowledgement.responderId) == userID
    }
}

extension MainTabFeature.Tab {
    public var title: String {
        switch self {
        case .home: "Home"
        case .responders: "Responders"
        case .dependents: "I watch over"
        case .profile: "Profile"
        }
    }
}

extension ContactData {
    public var troubleWords: String {
        let name = ProfileRules.displayName(name)
        return watch?.status == .alertActive
            ? "\(name) has raised an alert" : "\(name) has not checked in"
    }
}
