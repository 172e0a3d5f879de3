import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Raises and ends the user's alert: counts the taps, times the hold, sends both, and shows what
/// the server says about the alert.
struct AlertCall: Reducer {
    typealias State = AlertFeature.State
    typealias Action = AlertFeature.Action
    private typealias CancelID = AlertFeature.CancelID

    @Dependency(\.alertClient) private var alertClient
    @Dependency(\.connectivityClient) private var connectivityClient
    @Dependency(\.continuousClock) private var clock
    @Dependency(\.date) private var date
    @Dependency(\.hapticClient) private var hapticClient
    @Dependency(\.serverClock) private var serverClock
    @Dependency(\.uuid) private var uuid

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .triggerChanged(let trigger):
            guard trigger != state.trigger else { return .none }
            state.trigger = trigger
            return state.canActivateAlert ? activationProgress(0, &state) : .none
        case .alertActivationConfirmed, .confirmationAlert(.presented(.alertActivationConfirmed)):
            guard state.canActivateAlert else { return .none }
            state.error = nil
            return activationProgress(1, &state)
        case .alertButtonTapped:
            guard state.canActivateAlert else { return .none }
            state.error = nil
            guard state.trigger != .confirmation else {
                state.confirmationAlert = .raiseAlert(tellsSomebody: state.hasResponders)
                return .none
            }
            return activationProgress(
                AlertRules.progress(afterPressAt: state.activationProgress), &state)
        case .setActivationProgress(let progress):
            guard state.canActivateAlert else { return .none }
            return activationProgress(progress, &state)
        case .alertActivationResponse(let result):
            return activationEnded(result, &state)
        case .alertDeactivationButtonTapped:
            guard state.canDeactivateAlert else { return .none }
            state.confirmationAlert = .endAlert(tellsSomebody: state.hasResponders != false)
            return .none
        case .alertDeactivationConfirmed,
            .confirmationAlert(.presented(.alertDeactivationConfirmed)):
            guard state.canDeactivateAlert else { return .none }
            state.isEndConfirmed = true
            return hold()
        case .holdBegan:
            guard state.canDeactivateAlert else { return .none }
            state.confirmationAlert = nil
            state.isEndConfirmed = false
            return hold()
        case .holdEnded:
            guard state.canDeactivateAlert else { return .none }
            return deactivationProgress(0, &state)
        case .alertDeactivationProgressChanged(let progress):
            guard state.canDeactivateAlert else { return .none }
            return deactivationProgress(progress, &state)
        case .alertDeactivationResponse(let result):
            return deactivationEnded(result, &state)
        case .alertStatusResponse(.success(let status)):
            return apply(status, &state)
        case .alertsUpdated(let alerts):
            return apply(AlertFeature.AlertStatus(alerts: alerts, isComplete: true), &state)
        case .raiseAgainButtonTapped:
            guard state.canActivateAlert else { return .none }
            state.confirmationAlert = .raiseAgain
            return .none
        case .raiseAgainConfirmed, .confirmationAlert(.presented(.raiseAgainConfirmed)):
            guard state.canActivateAlert else { return .none }
            return activationProgress(1, &state)
        case .endedWordsDismissed:
            state.endedWords = nil
            return .none
        // Handled by `AlertFeature` or `OwnAlerts`.
        case .onAppear, .onDisappear, .startStream, .stopStream, .loadAlertStatus,
            .alertStatusResponse(.failure), .sessionKnown, .connectivityChanged,
            .resumeButtonTapped, .resumeResponse, .endElsewhereRead, .signOutElsewhereButtonTapped,
            .signOutElsewhereConfirmed, .signOutElsewhereResponse, .loadAlertHistory,
            .loadMoreAlertHistory, .alertHistoryResponse, .loadAlertDetails, .alertDetailsResponse,
            .timerTick, .appBecameActive, .appBecameInactive, .confirmationAlert,
            .addResponderButtonTapped, .setError, .dismissError, .delegate:
            return .none
        }
    }

    /// Counts the taps. Each tap restarts a timeout. When the timeout ends, the count is reset. The
    /// fourth tap raises the alert.
    private func activationProgress(_ progress: Double, _ state: inout State) -> Effect<Action> {
        state.activationProgress = clamped(progress)
        guard !state.isFullyActivated else {
            return .merge(.cancel(id: CancelID.resetTimer), raise(&state), play(.warning))
        }
        guard state.activationProgress > 0 else { return .cancel(id: CancelID.resetTimer) }
        let forgetting = Effect<Action>.run { [clock, timeout = state.trigger.timeout] send in
            try await clock.sleep(for: timeout)
            await send(.setActivationProgress(0))
        }
        .cancellable(id: CancelID.resetTimer, cancelInFlight: true)
        return .merge(forgetting, play(.tap))
    }

    private func raise(_ state: inout State) -> Effect<Action> {
        let id = AlertID(uuid())
        state.alertID = id
        state.alertStartTime = serverClock.time(at: date.now)
        state.alertEndTime = nil
        state.isActivatingAlert = true
        state.error = nil
        state.endedWords = nil
        state.confirmationAlert = nil
        // Cancels status requests in flight. Their answers lack this alert, so they would close it.
        return .merge(.cancel(id: CancelID.status), .cancel(id: CancelID.endedWords), submit(id))
    }

    /// Sends the call for help. The request continues when the screen disappears.
    private func submit(_ id: AlertID, after delay: Duration = .zero) -> Effect<Action> {
        .run { [alertClient, clock] send in
            if delay > .zero { try await clock.sleep(for: delay) }
            await send(
                .alertActivationResponse(.userFacing { try await alertClient.raise(id: id) }))
        }
        .cancellable(id: CancelID.activation, cancelInFlight: true)
    }

    /// Keeps the alert open, whether the request was confirmed, was queued, or has failed and is
    /// retried.
    private func activationEnded(
        _ result: Result<Submission<AlertRecord>, UserFacingError>, _ state: inout State
    ) -> Effect<Action> {
        guard let id = state.alertID, state.isActivatingAlert || state.isRetrying else {
            return .none
        }
        state.isActivatingAlert = false
        state.isAlertActive = true
        state.activationProgress = 0
        switch result {
        case .success(.confirmed(let alert)) where !alert.isActive:
            // An earlier try was successful, and another device has ended the alert since.
            state.keepInHistory(alert)
            close(&state)
            return .none
        case .success(.confirmed(let alert)):
            state.failedActivations = 0
            state.isSendingStart = false
            open(alert, &state)
            return .none
        case .success(.waiting):
            state.failedActivations = 0
            state.isSendingStart = true
            return state.hasStopped ? .none : observeConnectivity()
        case .failure(let error):
            state.failedActivations += 1
            state.isSendingStart = true
            // Shows the error only once. Otherwise each retry would show a dismissed error. The
            // screen says that the alert will be sent.
            if state.failedActivations == 1 { state.error = error.text }
            return submit(id, after: AlertRules.retryDelay(afterFailures: state.failedActivations))
        }
    }

    private func deactivationProgress(_ progress: Double, _ state: inout State) -> Effect<Action> {
        state.deactivationProgress = clamped(progress)
        if state.isFullyDeactivated {
            return .merge(.cancel(id: CancelID.hold), end(&state), play(.success))
        }
        guard state.deactivationProgress == 0 else { return .none }
        state.isEndConfirmed = false
        return .cancel(id: CancelID.hold)
    }

    private func play(_ haptic: Haptic) -> Effect<Action> {
        .run { [hapticClient] _ in await hapticClient.play(haptic: haptic) }
    }

    /// Counts the three seconds of a hold, or the same three seconds after a confirmed question.
    private func hold() -> Effect<Action> {
        .run { [clock] send in
            for step in 1...AlertRules.holdSteps {
                try await clock.sleep(for: AlertRules.hold / AlertRules.holdSteps)
                await send(
                    .alertDeactivationProgressChanged(Double(step) / Double(AlertRules.holdSteps)))
            }
        }
        .cancellable(id: CancelID.hold, cancelInFlight: true)
    }

    private func end(_ state: inout State) -> Effect<Action> {
        guard let id = state.alertID else { return .none }
        state.isDeactivatingAlert = true
        state.isEndConfirmed = false
        state.alertEndTime = serverClock.time(at: date.now)
        state.error = nil
        state.confirmationAlert = nil
        return .merge(
            .cancel(id: CancelID.activation),
            .run { [alertClient] send in
                await send(
                    .alertDeactivationResponse(.userFacing { try await alertClient.end(id: id) }))
            }
            .cancellable(id: CancelID.deactivation, cancelInFlight: true)
        )
    }

    private func deactivationEnded(
        _ result: Result<Submission<AlertRecord>, UserFacingError>, _ state: inout State
    ) -> Effect<Action> {
        guard state.isDeactivatingAlert else { return .none }
        state.isDeactivatingAlert = false
        state.deactivationProgress = 0
        switch result {
        case .success(.confirmed(let alert)) where alert.isActive:
            // The server took this alert for one that another device raised after the end.
            state.alertEndTime = nil
            state.failedActivations = 0
            state.isSendingStart = false
            open(alert, &state)
            return .none
        case .success(.confirmed(let alert)):
            state.keepInHistory(alert)
            close(&state)
            return sayThatItHasEnded(&state)
        case .success(.waiting):
            state.endingAlertID = state.alertID
            close(&state)
            state.isSendingEnd = true
            return state.hasStopped ? .none : observeConnectivity()
        case .failure(let error) where error.has(.notFound) && state.isRetrying:
            // The server never received the alert, so there is nothing to end.
            close(&state)
            return .none
        case .failure(let error):
            state.alertEndTime = nil
            state.error = error.text
            guard state.isRetrying, let id = state.alertID else { return .none }
            return submit(id, after: AlertRules.retryDelay(afterFailures: state.failedActivations))
        }
    }

    private func sayThatItHasEnded(_ state: inout State) -> Effect<Action> {
        // Before the contacts are known, the text can't name the people who were told, so it isn't
        // shown.
        let ended = state.hasResponders == nil ? nil : "Alert ended."
        guard let text = AlertWords.ended(told: state.responderNames) ?? ended else { return .none }
        state.endedWords = text
        return .run { [clock] send in
            try await clock.sleep(for: AlertRules.endedTextStays)
            await send(.endedWordsDismissed)
        }
        .cancellable(id: CancelID.endedWords, cancelInFlight: true)
    }

    /// Shows the alert that the server returned, which may be an earlier open one.
    private func open(_ alert: AlertRecord, _ state: inout State) {
        // Closes the question whether to raise an alert.
        if !state.isAlertActive { state.confirmationAlert = nil }
        state.isAlertActive = true
        state.alertID = AlertID(alert.id) ?? state.alertID
        state.alertStartTime = alert.startTime
        state.keepInHistory(alert)
    }

    private func close(_ state: inout State) {
        state.isAlertActive = false
        state.alertID = nil
        state.alertStartTime = nil
        state.alertEndTime = nil
        state.isEndConfirmed = false
        state.activationProgress = 0
        state.deactivationProgress = 0
        state.failedActivations = 0
        state.isSendingStart = false
        state.confirmationAlert = nil
    }

    /// Shows an alert that another device has raised or ended. An alert that the server doesn't
    /// have yet stays open.
    private func apply(_ status: AlertFeature.AlertStatus, _ state: inout State) -> Effect<Action> {
        state.missedCheckIn = status.alerts.first { $0.isActive && $0.kind == .missedCheckIn }
        state.overdueJourney = status.alerts.first { $0.isActive && $0.kind == .journey }
        state.findEndElsewhere(
            among: status.alerts, at: serverClock.time(at: date.now))
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
            // The hold was meant for the previous alert.
            state.deactivationProgress = 0
            state.isEndConfirmed = false
            state.confirmationAlert = nil
            return .cancel(id: CancelID.hold)
        }
        guard state.isAlertActive || state.isActivatingAlert else { return .none }
        let ended = status.alerts.first { $0.id == current && !$0.isActive }
        let isGone = status.isComplete && !state.isSendingStart && !state.isActivatingAlert
        guard ended != nil || isGone else { return .none }
        if let ended { state.keepInHistory(ended) }
        // The stream may report the end before the answer to the request that ended the alert.
        let isEndedHere = state.isDeactivatingAlert
        state.isActivatingAlert = false
        state.isDeactivatingAlert = false
        close(&state)
        let cancelling = [CancelID.activation, .deactivation, .hold].map {
            Effect<Action>.cancel(id: $0)
        }
        return .merge(cancelling + (isEndedHere ? [sayThatItHasEnded(&state)] : []))
    }

    /// Follows the queue, beginning with its current state. Call this after each queued action.
    func observeConnectivity() -> Effect<Action> {
        .run { [connectivityClient] send in
            for await connectivity in connectivityClient.status() {
                await send(.connectivityChanged(connectivity))
            }
        }
        .cancellable(id: CancelID.connectivity, cancelInFlight: true)
    }

    /// Cancels a hold when its button disappears. After a confirmed question, the three seconds
    /// continue.
    func letGo(_ state: inout State) -> Effect<Action> {
        guard !state.isEndConfirmed else { return .none }
        if !state.isDeactivatingAlert { state.deactivationProgress = 0 }
        return .cancel(id: CancelID.hold)
    }

    private func clamped(_ progress: Double) -> Double {
        progress.isNaN ? 0 : min(max(progress, 0), 1)
    }
}
