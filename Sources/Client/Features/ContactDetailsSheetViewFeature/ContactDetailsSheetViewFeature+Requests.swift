import Clients
import ComposableArchitecture
import Domain

/// Answers to what the contact has asked for.
extension ContactDetailsSheetViewFeature {
    func accept(_ role: ContactRole, _ state: inout State) -> Effect<Action> {
        guard let contact = state.contact, !state.isBusy, state.requestsToAnswer.contains(role)
        else { return .none }
        state.error = nil
        state.isChangingRoles = true
        return .run { send in
            let result: Result<Submission<ContactData>, UserFacingError> = await .userFacing {
                .confirmed(try await contactClient.acceptRequest(id: contact.id, role: role))
            }
            await send(.rolesResponse(contact.id, result))
        }
        .cancellable(id: effectOwner(CancelID.change))
    }

    func decline(_ role: ContactRole, _ state: inout State) -> Effect<Action> {
        guard state.requestsToAnswer.contains(role) else { return .none }
        return end(role, &state) { try await contactClient.declineRequest(id: $0, role: role) }
    }

    func withdraw(_ role: ContactRole, _ state: inout State) -> Effect<Action> {
        guard state.ownRequests.contains(role) else { return .none }
        return end(role, &state) { try await contactClient.withdrawRequest(id: $0, role: role) }
    }

    private func end(
        _ role: ContactRole, _ state: inout State,
        _ work: @escaping @Sendable (UserID) async throws -> Void
    ) -> Effect<Action> {
        guard let contact = state.contact, !state.isBusy else { return .none }
        state.error = nil
        state.isChangingRoles = true
        return .run { send in
            do {
                try await work(contact.id)
                await send(.requestDeclined(contact.id, role, nil))
            } catch {
                await send(.requestDeclined(contact.id, role, UserFacingError(catching: error)))
            }
        }
        .cancellable(id: effectOwner(CancelID.change))
    }

    func declined(
        _ id: UserID, _ role: ContactRole, _ error: UserFacingError?, _ state: inout State
    ) -> Effect<Action> {
        let isShown = id == state.contact?.id
        if isShown { state.isChangingRoles = false }
        if let error { return fail(error, isShown: isShown, &state) }
        // The list has it already when the sheet shows somebody else.
        guard isShown, var contact = state.contact else { return .none }
        contact.relation[role] = .absent
        guard !contact.relation.isEmpty else { return removeAnswered(id, nil, &state) }
        state.contact = contact
        return .send(.delegate(.contactUpdated(contact)))
    }
}
