import Clients
import ComposableArchitecture
import Domain
import Foundation

extension CheckInFeature {
    /// How long a confirmation is shown.
    static let confirmationTime: Duration = .seconds(4)

    /// Not cancelled when the screen goes: it has been said.
    func checkIn(_ state: inout State) -> Effect<Action> {
        guard state.canCheckIn else { return .none }
        state.isCheckingIn = true
        state.confirmation = nil
        state.error = nil
        let id = CheckInID(uuid())
        let now = date.now
        return .merge(
            .cancel(id: CancelID.confirmation),
            .run { [checkInClient] send in
                await send(
                    .checkInResponse(
                        .userFacing { try await checkInClient.checkIn(id: id, occurredAt: now) }))
            }
        )
    }

    /// A check-in that waits moves no deadline: the responders' clock still runs, and the person
    /// has to see that.
    func checkedIn(_ submission: Submission<CheckInRecord>, _ state: inout State) -> Effect<Action>
    {
        guard state.isCheckingIn else { return .none }
        state.isCheckingIn = false
        switch submission {
        case .confirmed(let checkIn):
            let isUnmoved = state.lastCheckInTime.map { checkIn.occurredAt < $0 } ?? false
            state.apply(checkIn)
            state.waitingCheckInTime = nil
            guard !isUnmoved || !checkIn.isFromSlowClock else {
                state.error = .checkInWithWrongClock
                return nextMoment(&state)
            }
            guard !state.hasLeft else { return .none }
            state.confirmation = checkIn
            return .merge(
                nextMoment(&state), hideConfirmation(),
                .run { [hapticClient] _ in await hapticClient.play(haptic: .success) })
        case .waiting:
            state.waitingCheckInTime = date.now
            return state.hasLeft ? .none : observeConnectivity()
        }
    }

    private func hideConfirmation() -> Effect<Action> {
        .run { [clock] send in
            try await clock.sleep(for: Self.confirmationTime)
            await send(.confirmationDismissed)
        }
        .cancellable(id: CancelID.confirmation, cancelInFlight: true)
    }

    func save(_ settings: CheckInSettings, _ state: inout State) -> Effect<Action> {
        guard !state.isSavingSettings else { return .none }
        state.error = nil
        do {
            // The settings in force were accepted by the server, whose limits may differ.
            if settings.intervalSeconds != state.settings.intervalSeconds {
                try IntervalLimits.standard.check(settings)
            }
        } catch {
            state.error = UserFacingError(error)
            return .none
        }
        state.isSavingSettings = true
        return .run { [checkInClient] send in
            await send(
                .settingsResponse(
                    .userFacing { try await checkInClient.updateSettings(settings: settings) },
                    settings))
        }
    }

    func settingsSaved(
        _ result: Result<Submission<UserProfile>, UserFacingError>, _ settings: CheckInSettings,
        _ state: inout State
    ) -> Effect<Action> {
        state.isSavingSettings = false
        switch result {
        case .success(.confirmed(let profile)):
            state.areSettingsWaiting = false
            state.isScheduleSaved = true
            state.apply(profile)
        case .success(.waiting):
            // The deadline stays: the server decides it.
            state.areSettingsWaiting = true
            state.apply(settings)
        case .failure(let error):
            state.error = error
            return .none
        }
        state.scheduleSheet = nil
        let isToObserve = state.areSettingsWaiting && !state.hasLeft
        return .merge(nextMoment(&state), isToObserve ? observeConnectivity() : .none)
    }

    func loadHistory(before: String? = nil, _ state: inout State) -> Effect<Action> {
        guard !state.isLoadingHistory else { return .none }
        state.isLoadingHistory = true
        state.error = nil
        return .run { [checkInClient] send in
            await send(
                .historyResponse(
                    .userFacing {
                        let page = try await checkInClient.history(before: before)
                        return HistoryPage(
                            checkIns: page.items, next: page.next, isFirst: before == nil)
                    }))
        }
        .cancellable(id: CancelID.history, cancelInFlight: true)
    }

    func observeProfile() -> Effect<Action> {
        .run { [userClient] send in
            for await profile in userClient.profileStream() { await send(.profileUpdated(profile)) }
        }
        .cancellable(id: CancelID.profile, cancelInFlight: true)
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

    /// One sleep until what is shown of the time left is out of date.
    func nextMoment(_ state: inout State) -> Effect<Action> {
        guard !state.hasLeft else { return .none }
        state.now = date.now
        guard let deadline = state.nextCheckInTime else { return .cancel(id: CancelID.moment) }
        let wait = CheckInRules.untilNextMinute(deadline: deadline, at: date.now)
        return .run { [clock] send in
            try await clock.sleep(for: wait)
            await send(.momentPassed)
        }
        .cancellable(id: CancelID.moment, cancelInFlight: true)
    }
}

extension UserFacingError {
    static let checkInWithWrongClock = UserFacingError(
        title: "This check-in did not count",
        message: "The clock of this device is behind, so the check-in is older than your last one. "
            + "Your deadline has not moved.",
        recoverySuggestion: "Set the clock of this device, then check in again.",
        code: "wrong-clock")
}
