import Clients
import ComposableArchitecture
import Domain

/// Opens the screen for a tapped notification or a link.
extension MainTabFeature {
    func open(_ subject: NotificationSubject, _ state: inout State) -> Effect<Action> {
        state.isNotificationCentrePresented = false
        state.error = nil
        state.subjectToOpen = nil
        switch subject {
        case .alert(_, let user) where user == state.userID:
            state.selectedTab = .home
            return .cancel(id: CancelID.openAlert)
        case .alert(let id, let user):
            if let contact = user.flatMap({ state.contact($0) }), contact.isDependent,
                !contact.isResponder
            {
                present(id, of: contact, nil, &state)
                return .cancel(id: CancelID.openAlert)
            }
            // The alert itself names its owner: "Ben is on it" names Ben, but the alert is one's
            // own.
            return .run { send in
                await send(
                    .openedAlertResponse(
                        .userFacing { try await alertClient.alert(id: id) }, id: id, user: user))
            }
            .cancellable(id: CancelID.openAlert, cancelInFlight: true)
        case .ping, .person:
            return .merge(.cancel(id: CancelID.openAlert), openWhenKnown(subject, &state))
        }
    }

    /// A notification that started the app is opened before the contact list has come.
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

    /// Nothing for who is no contact any more.
    func openPerson(
        of subject: NotificationSubject, in contacts: IdentifiedArrayOf<ContactData>,
        _ state: inout State
    ) -> Effect<Action> {
        switch subject {
        case .ping(_, let user):
            guard let contact = user.flatMap({ contacts[id: $0] }) else { return .none }
            // A ping to answer is from a responder; news of one's own ping is from a dependent.
            return showDetails(
                of: contact,
                in: contact.hasPendingPing || !contact.isDependent ? .responders : .dependents,
                &state)
        case .alert(_, let user?), .person(let user):
            guard let contact = contacts[id: user] else { return .none }
            return showDetails(
                of: contact, in: contact.isConsidered(.dependent) ? .dependents : .responders,
                &state)
        case .alert(_, nil):
            return .none
        }
    }

    func show(
        _ result: Result<AlertRecord, UserFacingError>, id: AlertID, user: UserID?,
        _ state: inout State
    ) -> Effect<Action> {
        switch result {
        case .success(let alert) where alert.userId == state.userID.description:
            state.selectedTab = .home
            return .none
        case .success(let alert):
            present(id, of: UserID(alert.userId).flatMap { state.contact($0) }, alert, &state)
            return .none
        case .failure(let error):
            state.error = error
            // The phone number is on this device, online or not.
            return openWhenKnown(.alert(id, user: user), &state)
        }
    }

    /// - Parameter id: nil for the open alert of `dependent`.
    func present(
        _ id: AlertID?, of dependent: ContactData?, _ alert: AlertRecord?, _ state: inout State
    ) {
        state.selectedTab = .dependents
        state.putAwayContacts()
        state.dependentAlert = DependentAlertFeature.State(
            alertID: id, dependent: dependent, alert: alert, ownID: state.userID,
            isOpeningUntold: true)
    }

    /// Opened in the dependents' tab: whoever shows a code gains a responder by it. Both roles can
    /// be chosen in the sheet.
    func addContact(_ code: String, _ state: inout State) -> Effect<Action> {
        // It would cover the sheet.
        state.isNotificationCentrePresented = false
        state.selectedTab = .dependents
        return .send(.dependents(.codeReceived(code)))
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
    /// Nobody's sheet, left open on a tab, may lie over somebody who needs help.
    mutating func putAwayContacts() {
        for tab in [\Self.responders.contactDetails, \Self.dependents.contactDetails] {
            self[keyPath: tab].isSheetPresented = false
            self[keyPath: tab].confirmation = nil
        }
    }

    func contact(_ id: UserID) -> ContactData? { responders.contacts.contacts[id: id] }
}
