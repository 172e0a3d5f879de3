import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Raising and ending.
extension AlertFeature {
    /// A tap restarts the four seconds after which the taps are forgotten; all four raise the
    /// alert.
    func activationProgress(_ progress: Double, _ state: inout State) -> Effect<Action> {
        state.activationProgress = clamped(progress)
        guard !state.isFullyActivated else {
            return .merge(.cancel(id: CancelID.resetTimer), raise(&state), play(.warning))
        }
        guard state.activationProgress > 0 else { return .cancel(id: CancelID.resetTimer) }
        let forgetting = Effect<Action>.run { [clock] send in
            try await clock.sleep(for: AlertRules.tapTimeout)
            await send(.setActivationProgress(0))
        }
        .cancellable(id: CancelID.resetTimer, cancelInFlight: true)
        return .merge(forgetting, play(.tap))
    }

    private func raise(_ state: inout State) -> Effect<Action> {
        let id = AlertID(uuid())
        state.alertID = id
        state.alertStartTime = date.now
        state.alertEndTime = nil
        state.isActivatingAlert = true
        state.error = nil
        state.endedText = nil
        // Earlier answers don't know this alert, and would close it.
        return .merge(.cancel(id: CancelID.status), .cancel(id: CancelID.endedText), submit(id))
    }

    /// Not cancelled when the screen goes: it is a call for help.
    private func submit(_ id: AlertID, after delay: Duration = .zero) -> Effect<Action> {
        .run { [alertClient, clock] send in
            if delay > .zero { try await clock.sleep(for: delay) }
            await send(
                .alertActivationResponse(.userFacing { try await alertClient.raise(id: id) }))
        }
        .cancellable(id: CancelID.activation, cancelInFlight: true)
    }

    /// The alert stays, whatever the answer: confirmed, queued, or tried again.
    func activationEnded(
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
            // An earlier try had come through, and another device has ended the alert since.
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
            // Said once: whoever dismissed it is not told again every few seconds, the screen says
            // that it will be sent.
            if state.failedActivations == 1 { state.error = error.text }
            return submit(id, after: AlertRules.retryDelay(afterFailures: state.failedActivations))
        }
    }

    func deactivationProgress(_ progress: Double, _ state: inout State) -> Effect<Action> {
        state.deactivationProgress = clamped(progress)
        if state.isFullyDeactivated {
            return .merge(.cancel(id: CancelID.hold), end(&state), play(.success))
        }
        return state.deactivationProgress == 0 ? .cancel(id: CancelID.hold) : .none
    }

    private func play(_ haptic: Haptic) -> Effect<Action> {
        .run { [hapticClient] _ in await hapticClient.play(haptic: haptic) }
    }

    /// The three seconds of the hold, also for those who have confirmed instead of holding.
    func hold() -> Effect<Action> {
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
        state.alertEndTime = date.now
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

    func deactivationEnded(
        _ result: Result<Submission<AlertRecord>, UserFacingError>, _ state: inout State
    ) -> Effect<Action> {
        guard state.isDeactivatingAlert else { return .none }
        state.isDeactivatingAlert = false
        state.deactivationProgress = 0
        switch result {
        case .success(.confirmed(let alert)):
            state.keepInHistory(alert)
            close(&state)
            return sayThatItHasEnded(&state)
        case .success(.waiting):
            state.endingAlertID = state.alertID
            close(&state)
            state.isSendingEnd = true
            return state.hasStopped ? .none : observeConnectivity()
        case .failure(let error) where error.code == "not-found" && state.isRetrying:
            // The server never took it: there is nothing to end there.
            close(&state)
            return .none
        case .failure(let error):
            state.alertEndTime = nil
            state.error = error.text
            guard state.isRetrying, let id = state.alertID else { return .none }
            return submit(id, after: AlertRules.retryDelay(afterFailures: state.failedActivations))
        }
    }

    func sayThatItHasEnded(_ state: inout State) -> Effect<Action> {
        // Before the contacts are known, nobody knows whether anybody was told.
        let ended = state.hasResponders == nil ? nil : "Alert ended."
        guard let text = AlertWords.ended(told: state.responderNames) ?? ended else { return .none }
        state.endedText = text
        return .run { [clock] send in
            try await clock.sleep(for: AlertRules.endedTextStays)
            await send(.endedTextDismissed)
        }
        .cancellable(id: CancelID.endedText, cancelInFlight: true)
    }

    /// Shows the alert that the server opened; it may be one that was open before.
    func open(_ alert: AlertRecord, _ state: inout State) {
        state.isAlertActive = true
        state.alertID = AlertID(alert.id) ?? state.alertID
        state.alertStartTime = alert.startTime
        state.keepInHistory(alert)
    }

    func close(_ state: inout State) {
        state.isAlertActive = false
        state.alertID = nil
        state.alertStartTime = nil
        state.alertEndTime = nil
        state.activationProgress = 0
        state.deactivationProgress = 0
        state.failedActivations = 0
        state.isSendingStart = false
        state.confirmationAlert = nil
    }

    /// Taps and holds that were not finished are forgotten.
    func startOver(_ state: inout State) {
        if !state.isActivatingAlert { state.activationProgress = 0 }
        if !state.isDeactivatingAlert { state.deactivationProgress = 0 }
    }

    private func clamped(_ progress: Double) -> Double {
        progress.isNaN ? 0 : min(max(progress, 0), 1)
    }
}
