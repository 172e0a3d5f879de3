import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Changes from other devices and the server, and the history.
extension AlertFeature {
    func observe() -> Effect<Action> {
        .merge(
            .run { [alertClient, authClient] send in
                guard let me = await authClient.session()?.userID else { return }
                for await alerts in alertClient.alertsStream() {
                    await send(.alertsUpdated(alerts.filter { $0.isOf(me) }))
                }
            }
            .cancellable(id: CancelID.stream, cancelInFlight: true),
            observeConnectivity()
        )
    }

    /// Begins anew after something was queued: the first state that comes is the present one, so
    /// none is missed.
    func observeConnectivity() -> Effect<Action> {
        .run { [connectivityClient] send in
            for await connectivity in connectivityClient.status() {
                await send(.connectivityChanged(connectivity))
            }
        }
        .cancellable(id: CancelID.connectivity, cancelInFlight: true)
    }

    func startTimer(_ state: inout State) -> Effect<Action> {
        state.now = date.now
        return .run { [clock] send in
            for await _ in clock.timer(interval: .seconds(1)) { await send(.timerTick) }
        }
        .cancellable(id: CancelID.timer, cancelInFlight: true)
    }

    func loadStatus() -> Effect<Action> {
        .run { [alertClient, authClient] send in
            guard let me = await authClient.session()?.userID else { return }
            await send(
                .alertStatusResponse(
                    .userFacing {
                        let page = try await alertClient.history(before: nil)
                        return AlertStatus(
                            alerts: page.items.filter { $0.isOf(me) }, isComplete: page.next == nil)
                    }))
        }
        .cancellable(id: CancelID.status, cancelInFlight: true)
    }

    /// An alert that was raised or ended on another device shows here; one that has not reached the
    /// server stays.
    func apply(_ status: AlertStatus, _ state: inout State) -> Effect<Action> {
        state.missedCheckIn = status.alerts.first { $0.isActive && $0.kind == .missedCheckIn }
        let current = state.alertID?.description
        let ending = state.endingAlertID?.description
        let open = status.alerts.first {
            $0.isActive && $0.kind == .manual && $0.id != ending
        }
        if let open {
            guard !state.isDeactivatingAlert, !state.isActivatingAlert else { return .none }
            let isAnother = current != nil && open.id != current
            self.open(open, &state)
            guard isAnother else { return .none }
            // The hold was meant for the alert that is gone, not for this one.
            state.deactivationProgress = 0
            state.confirmationAlert = nil
            return .cancel(id: CancelID.hold)
        }
        guard state.isAlertActive || state.isActivatingAlert else { return .none }
        let ended = status.alerts.first { $0.id == current && !$0.isActive }
        let isGone = status.isComplete && !state.isSendingStart && !state.isActivatingAlert
        guard ended != nil || isGone else { return .none }
        if let ended { state.keepInHistory(ended) }
        // Word of the end may come before the answer to whoever asked for it.
        let isEndedHere = state.isDeactivatingAlert
        state.isActivatingAlert = false
        state.isDeactivatingAlert = false
        close(&state)
        let cancelling = [CancelID.activation, .deactivation, .hold].map {
            Effect<Action>.cancel(id: $0)
        }
        return .merge(cancelling + (isEndedHere ? [sayThatItHasEnded(&state)] : []))
    }

    /// One request for both: what is open, and what the history shows first.
    func loadStatusAndHistory(_ state: inout State) -> Effect<Action> {
        state.isLoadingHistory = true
        state.error = nil
        return .run { [alertClient, authClient] send in
            guard let me = await authClient.session()?.userID else {
                // Nobody is signed in: there is nothing to ask.
                return await send(.alertHistoryResponse(.success(.none)))
            }
            let first = await Result.userFacing { try await alertClient.history(before: nil) }
            await send(
                .alertStatusResponse(
                    first.map { page in
                        AlertStatus(
                            alerts: page.items.filter { $0.isOf(me) }, isComplete: page.next == nil)
                    }))
            await send(
                .alertHistoryResponse(
                    .userFacing { try await ownAlerts(of: me, in: try first.get(), isFirst: true) })
            )
        }
        .cancellable(id: CancelID.history, cancelInFlight: true)
    }

    /// Pages on while there are only alerts of dependents: one's own may be behind them. After ten
    /// pages the person decides whether to go on.
    private func ownAlerts(
        of me: UserID?, in first: ListPage<AlertRecord>, isFirst: Bool
    ) async throws -> AlertHistoryPage {
        var (page, pages) = (first, 1)
        while !page.items.contains(where: { $0.isOf(me) }), let next = page.next, pages < 10 {
            page = try await alertClient.history(before: next)
            pages += 1
        }
        return AlertHistoryPage(
            alerts: page.items.filter { $0.isOf(me) }, next: page.next, isFirst: isFirst)
    }

    func loadHistory(before: String? = nil, _ state: inout State) -> Effect<Action> {
        guard !state.isLoadingHistory else { return .none }
        state.isLoadingHistory = true
        state.error = nil
        return .run { [alertClient, authClient] send in
            let me = await authClient.session()?.userID
            await send(
                .alertHistoryResponse(
                    .userFacing {
                        let page = try await alertClient.history(before: before)
                        return try await ownAlerts(of: me, in: page, isFirst: before == nil)
                    }))
        }
        .cancellable(id: CancelID.history, cancelInFlight: true)
    }

    func loadDetails(_ id: AlertRecord.ID, _ state: inout State) -> Effect<Action> {
        guard let alertID = AlertID(id) else { return .none }
        state.error = nil
        return .run { [alertClient] send in
            await send(
                .alertDetailsResponse(.userFacing { try await alertClient.alert(id: alertID) }))
        }
        .cancellable(id: CancelID.details, cancelInFlight: true)
    }
}

extension AlertRecord {
    /// The client's lists hold the alerts of dependents too: those are not this user's own.
    fileprivate func isOf(_ user: UserID?) -> Bool {
        user.map { userId == $0.description } ?? false
    }
}

extension AlertFeature {
    /// The screen disappears: unfinished taps and holds are forgotten, loading stops.
    func leave(_ state: inout State) -> Effect<Action> {
        state.isOnScreen = false
        state.hasLeft = true
        state.isLoadingHistory = false
        startOver(&state)
        return .merge(
            [CancelID.status, .history, .details, .resetTimer, .hold].map { .cancel(id: $0) })
    }
}
