import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Role changes and removal after the confirmation.
extension ContactDetailsSheetViewFeature {
    func confirmed(_ confirmation: Action.Confirmation, _ state: inout State) -> Effect<Action> {
        switch confirmation {
        case .responderConfirmed(let isResponder):
            changeRoles(isResponder: isResponder, isDependent: state.isDependent, &state)
        case .dependentConfirmed(let isDependent):
            changeRoles(isResponder: state.isResponder, isDependent: isDependent, &state)
        case .removeConfirmed:
            remove(&state) { try await contactClient.removeContact(id: $0) }
        case .blockConfirmed:
            remove(&state) { _ = try await contactClient.block(id: $0) }
        }
    }

    private func changeRoles(isResponder: Bool, isDependent: Bool, _ state: inout State) -> Effect<
        Action
    > {
        guard let contact = state.contact, !state.isBusy else { return .none }
        do {
            let roles = try ContactRoles(isResponder: isResponder, isDependent: isDependent)
            state.error = nil
            state.askedRoles = roles
            state.isChangingRoles = true
            return .run { send in
                await send(
                    .rolesResponse(
                        contact.id,
                        .userFacing {
                            try await contactClient.changeRoles(id: contact.id, roles: roles)
                        }))
            }
            .cancellable(id: effectOwner(CancelID.change))
        } catch {
            state.error = UserFacingError(error)
            return .none
        }
    }

    /// An answer about a contact whose sheet has been closed or changed still goes to the list.
    func rolesAnswered(
        _ id: UserID, _ result: Result<Submission<ContactData>, UserFacingError>,
        _ state: inout State
    ) -> Effect<Action> {
        let isShown = id == state.contact?.id
        if isShown { state.isChangingRoles = false }
        switch result {
        case .success(.confirmed(let contact)):
            if isShown {
                (state.contact, state.askedRoles, state.isWaitingToBeSent) = (contact, nil, false)
            }
            return .send(.delegate(.contactUpdated(contact)))
        case .success(.waiting):
            guard isShown, state.isSheetPresented else { return .none }
            state.isWaitingToBeSent = true
            return observeConnectivity()
        case .failure(let error):
            if isShown { state.askedRoles = nil }
            return fail(error, isShown: isShown, &state)
        }
    }

    /// Observes while the sheet is open. A change that waited when the sheet was opened shows as
    /// well.
    func observeConnectivity() -> Effect<Action> {
        .run { send in
            for await connectivity in connectivityClient.status() {
                await send(.connectivityChanged(connectivity))
            }
        }
        .cancellable(id: effectOwner(CancelID.waiting), cancelInFlight: true)
    }

    private func remove(
        _ state: inout State, _ work: @escaping @Sendable (UserID) async throws -> Void
    ) -> Effect<Action> {
        guard let contact = state.contact, !state.isBusy else { return .none }
        state.error = nil
        state.isRemoving = true
        return .run { send in
            do {
                try await work(contact.id)
                await send(.removeResponse(contact.id, nil))
            } catch {
                await send(.removeResponse(contact.id, UserFacingError(catching: error)))
            }
        }
        .cancellable(id: effectOwner(CancelID.change))
    }

    func removeAnswered(_ id: UserID, _ error: UserFacingError?, _ state: inout State) -> Effect<
        Action
    > {
        let isShown = id == state.contact?.id
        if isShown { state.isRemoving = false }
        // Somebody was faster: what the user wanted is so.
        guard let error, error.code != "not-found" else {
            return .merge(isShown ? close(&state) : .none, .send(.delegate(.contactRemoved(id))))
        }
        return fail(error, isShown: isShown, &state)
    }

    /// The failure shows in the sheet, or in the list if the sheet has closed: the person believes
    /// that it is done.
    func fail(_ error: UserFacingError, isShown: Bool, _ state: inout State) -> Effect<Action> {
        guard isShown, state.isSheetPresented else { return .send(.delegate(.failed(error))) }
        state.error = error
        return .none
    }
}

extension ContactDetailsSheetViewFeature.State {
    mutating func apply(_ connectivity: Connectivity) {
        guard let id = contact?.id else { return }
        let isWaiting = connectivity.isWaiting(.changeRoles, about: id)
        if isWaitingToBeSent, !isWaiting { askedRoles = nil }
        isWaitingToBeSent = isWaiting
        isPingWaitingToBeSent = connectivity.isWaiting(.ping, about: id)
    }
}

extension UserFacingError {
    static func contactGone(_ name: String) -> Self {
        UserFacingError(
            title: "\(name) is no longer your contact",
            message: "The contact was removed. Neither of you is told when the other needs help.",
            recoverySuggestion: "If that was a mistake, scan their code to add them again.",
            code: "contact-removed"
        )
    }
}
