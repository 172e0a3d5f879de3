import Clients
import ComposableArchitecture
import Domain
import Foundation

/// What happens after "yes": roles and removal.
extension ContactDetailsSheetViewFeature {
    func reduceChange(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .confirmation(.presented(.responderConfirmed(let isResponder))):
            return changeRoles(isResponder: isResponder, isDependent: state.isDependent, &state)
        case .confirmation(.presented(.dependentConfirmed(let isDependent))):
            return changeRoles(isResponder: state.isResponder, isDependent: isDependent, &state)
        case .confirmation(.presented(.removeConfirmed)):
            return remove(&state)
        case .rolesResponse(let id, let result):
            return rolesAnswered(id, result, &state)
        case .waitingRolesSent:
            state.isWaitingToBeSent = false
            state.askedRoles = nil
            return .none
        case .removeResponse(let id, let error):
            return removeAnswered(id, error, &state)
        default:
            return .none
        }
    }

    private func changeRoles(isResponder: Bool, isDependent: Bool, _ state: inout State) -> Effect<Action> {
        guard let contact = state.contact, !state.isBusy else { return .none }
        do {
            let roles = try ContactRoles(isResponder: isResponder, isDependent: isDependent)
            state.error = nil
            state.askedRoles = roles
            state.isChangingRoles = true
            return .run { send in
                await send(.rolesResponse(contact.id, .userFacing { try await contactClient.changeRoles(id: contact.id, roles: roles) }))
            }
            .cancellable(id: effectOwner(CancelID.change))
        } catch {
            state.error = UserFacingError(error)
            return .none
        }
    }

    /// An answer about a contact whose sheet has been closed or changed still goes to the list.
    private func rolesAnswered(_ id: UserID, _ result: Result<Submission<ContactData>, UserFacingError>, _ state: inout State) -> Effect<Action> {
        let isShown = id == state.contact?.id
        if isShown { state.isChangingRoles = false }
        switch result {
        case .success(.confirmed(let contact)):
            if isShown { (state.contact, state.askedRoles, state.isWaitingToBeSent) = (contact, nil, false) }
            return .send(.delegate(.contactUpdated(contact)))
        case .success(.waiting):
            guard isShown, state.isSheetPresented else { return .none }
            state.isWaitingToBeSent = true
            return .run { send in
                await connectivityClient.untilSent(.changeRoles)
                await send(.waitingRolesSent)
            }
            .cancellable(id: effectOwner(CancelID.waiting), cancelInFlight: true)
        case .failure(let error):
            if isShown { state.askedRoles = nil }
            return fail(error, isShown: isShown, &state)
        }
    }

    private func remove(_ state: inout State) -> Effect<Action> {
        guard let contact = state.contact, !state.isBusy else { return .none }
        state.error = nil
        state.isRemoving = true
        return .run { send in
            do {
                try await contactClient.removeContact(id: contact.id)
                await send(.removeResponse(contact.id, nil))
            } catch {
                await send(.removeResponse(contact.id, UserFacingError(catching: error)))
            }
        }
        .cancellable(id: effectOwner(CancelID.change))
    }

    func removeAnswered(_ id: UserID, _ error: UserFacingError?, _ state: inout State) -> Effect<Action> {
        let isShown = id == state.contact?.id
        if isShown { state.isRemoving = false }
        // Somebody was faster: what the user wanted is so.
        guard let error, error.code != "not-found" else {
            return .merge(isShown ? close(&state) : .none, .send(.delegate(.contactRemoved(id))))
        }
        return fail(error, isShown: isShown, &state)
    }

    /// In the sheet if it is still there: who closed it believes that it is done, and is told all the same.
    func fail(_ error: UserFacingError, isShown: Bool, _ state: inout State) -> Effect<Action> {
        guard isShown, state.isSheetPresented else { return .send(.delegate(.failed(error))) }
        state.error = error
        return .none
    }
}

extension UserFacingError {
    static func contactGone(_ name: String) -> Self {
        UserFacingError(
            title: "\(name) is no longer your contact",
            message: "The contact was removed. Neither of you is told when the other needs help.",
            recoverySuggestion: "If that was not meant, scan their code to add them again.",
            code: "contact-removed"
        )
    }
}

extension ConfirmationAlertState<ContactDetailsSheetViewFeature.Action.Confirmation> {
    static func responder(_ isOn: Bool, _ name: String) -> Self {
        question(
            isOn ? "Make \(name) your responder?" : "Remove \(name) as your responder?",
            isOn
                ? "\(name) will be told when you miss a check-in or raise an alert, can ping you, and can read your emergency note and when you checked in. They have to accept first."
                : "\(name) will not be told any more when you need help, and can't ping you or read your emergency note. A ping that waits for your answer goes away.",
            .responderConfirmed(isOn), isDestructive: !isOn
        )
    }

    static func dependent(_ isOn: Bool, _ name: String) -> Self {
        question(
            isOn ? "Watch over \(name)?" : "Stop watching over \(name)?",
            isOn
                ? "You will be told when \(name) misses a check-in or raises an alert, and you can ping them. They have to accept first."
                : "You will not be told any more when \(name) needs help. A ping that you sent goes away. \(name) is told of this.",
            .dependentConfirmed(isOn), isDestructive: !isOn
        )
    }

    static func remove(_ name: String) -> Self {
        question(
            "Remove \(name)?",
            "You stop being contacts, for both of you: neither is told any more when the other needs help. \(name) is told of this.",
            .removeConfirmed, isDestructive: true
        )
    }

    private static func question(
        _ title: String, _ message: String, _ action: ContactDetailsSheetViewFeature.Action.Confirmation, isDestructive: Bool
    ) -> Self {
        Self {
            TextState(title)
        } actions: {
            ButtonState(role: isDestructive ? .destructive : nil, action: action) { TextState(isDestructive ? "Remove" : "Confirm") }
            ButtonState(role: .cancel) { TextState("Cancel") }
        } message: {
            TextState(message)
        }
    }
}
