import Clients
import ComposableArchitecture
import Domain

/// The order in which responders are called.
extension RespondersFeature {
    public enum Direction: Equatable, Sendable { case up, down }

    func move(_ id: UserID, _ direction: Direction, _ state: inout State) -> Effect<Action> {
        guard !state.isOrdering, state.canMove(id, direction) else { return .none }
        var ids = state.responderOrder.map(\.id)
        guard let index = ids.firstIndex(of: id) else { return .none }
        ids.swapAt(index, direction == .up ? index - 1 : index + 1)
        state.isOrdering = true
        state.error = nil
        return .run { [ids] send in
            let result = await Result.userFacing { try await contactClient.orderResponders(ids) }
            await send(.orderResponse(result))
        }
    }

    func order(
        _ result: Result<[ContactData], UserFacingError>, _ state: inout State
    ) -> Effect<Action> {
        state.isOrdering = false
        switch result {
        case .success(let contacts):
            state.hasOrdered = true
            // The stream brings the same, and may have been first.
            return .send(.contacts(.contactsUpdated(contacts)))
        case .failure(let error):
            state.error = error
            return .none
        }
    }
}

extension RespondersFeature.State {
    /// Those who have agreed, in the order in which they are called.
    public var responderOrder: [ContactData] {
        contacts.responders.filter(\.isResponder).sorted { $0.isCalledBefore($1) }
    }

    /// The new order after a move, for screen readers: the list itself says the present one.
    public var orderNews: String {
        guard hasOrdered, !isOrdering else { return "" }
        return responderOrder.map { ProfileRules.displayName($0.name) }.joined(separator: ", ")
    }

    public func canMove(_ id: UserID, _ direction: RespondersFeature.Direction) -> Bool {
        let end = direction == .up ? responderOrder.first : responderOrder.last
        return responderOrder.contains { $0.id == id } && end?.id != id
    }
}
