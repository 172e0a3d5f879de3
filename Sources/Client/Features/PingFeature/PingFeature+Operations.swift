import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Ping, clear, respond to one and to all: each is asked for once at a time, and goes on when its
/// screen has gone.
extension PingFeature {
    func ping(_ id: UserID, _ state: inout State) -> Effect<Action> {
        run(.ping(id), &state, failed: Action.pingDependentFailed) { send in
            switch try await pingClient.pingDependent(id: id) {
            case .confirmed(let ping):
                await send(.pingRecorded(ping))
                await send(.pingDependentSucceeded(id))
            case .waiting:
                await send(.pingDependentWaiting(id))
            }
        }
    }

    func record(_ ping: PingRecord, _ state: inout State) -> Effect<Action> {
        // The stream may have told of its end before this answer came.
        if state.pingHistory[id: ping.id].map({ $0.state == .pending }) ?? true {
            state.merge([ping], at: date.now)
        }
        return .send(.delegate(.pinged(ping)))
    }

    func clear(_ id: UserID, _ state: inout State) -> Effect<Action> {
        run(.clear(id), &state, failed: Action.clearPingFailed) { send in
            try await pingClient.clearPing(id: id)
            await send(.clearPingSucceeded(id))
        }
    }

    func respond(to id: UserID, _ state: inout State) -> Effect<Action> {
        guard !state.isInFlight(.respondToAll) else { return .none }
        return run(.respond(id), &state, failed: Action.respondToPingFailed) { send in
            try await pingClient.respondToPing(id: id)
            await send(.respondToPingSucceeded(id))
        }
    }

    func respondToAll(_ state: inout State) -> Effect<Action> {
        // A ping that arrives while the answer is on its way is not among them.
        let responders = Set(state.pendingPings.map(\.responderID))
        return run(.respondToAll, &state, failed: Action.respondToAllPingsFailed) { send in
            try await pingClient.respondToAllPings()
            await send(.respondToAllPingsSucceeded(responders))
        }
    }

    /// The queue says which pings have not reached the server: the list of pings shows them too.
    /// Begins anew after something was queued: the first state that comes is the present one, so
    /// none is missed.
    func observeConnectivity() -> Effect<Action> {
        .run { send in
            for await connectivity in connectivityClient.status() {
                await send(.connectivityChanged(connectivity))
            }
        }
        .cancellable(id: effectOwner(CancelID.connectivity), cancelInFlight: true)
    }

    private func run(
        _ operation: Operation, _ state: inout State,
        failed: @escaping @Sendable (UserFacingError) -> Action,
        _ request: @escaping @Sendable (Send<Action>) async throws -> Void
    ) -> Effect<Action> {
        guard state.inFlight.insert(operation).inserted else { return .none }
        state.error = nil
        return .merge(
            .send(.delegate(.began)),
            .run { send in
                do {
                    try await request(send)
                } catch {
                    await send(failed(UserFacingError(catching: error)))
                }
                await send(.operationEnded(operation))
            }
            .cancellable(id: effectOwner(CancelID.operation))
        )
    }
}

extension PingFeature.State {
    /// Shows a ping as settled before the stream says so.
    mutating func settle(
        as end: PingRecord.State, at now: Date, where isMeant: (PingRecord) -> Bool
    ) {
        let settled = pendingPings.filter(isMeant).map { ping in
            var ping = ping
            (ping.state, ping.settledAt) = (end, now)
            return ping
        }
        merge(settled, at: now)
    }
}
