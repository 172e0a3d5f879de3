import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Follows what changes the shown status: the profile, the queue and the time.
struct CheckInFollowing {
    typealias State = CheckInFeature.State
    typealias Action = CheckInFeature.Action
    private typealias CancelID = CheckInFeature.CancelID

    @Dependency(\.connectivityClient) private var connectivityClient
    @Dependency(\.continuousClock) private var clock
    @Dependency(\.date) private var date
    @Dependency(\.serverClock) private var serverClock
    @Dependency(\.userClient) private var userClient

    var serverNow: Date { serverClock.time(at: date.now) }

    func observeProfile() -> Effect<Action> {
        .run { [userClient] send in
            for await profile in userClient.profileStream() { await send(.profileUpdated(profile)) }
        }
        .cancellable(id: CancelID.profile, cancelInFlight: true)
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

    /// Sleeps until the shown time left is out of date.
    func nextMoment(_ state: inout State) -> Effect<Action> {
        guard !state.hasLeft else { return .none }
        let (now, present) = (serverNow, state.present)
        state.now = now
        // While the form is saved, the profile has the form's own change. After a refusal, the old
        // settings would undo what the person has chosen.
        if !state.isSavingSettings { state.scheduleSheet?.follow(present, at: now) }
        // A pause without deadlines also ends.
        guard let deadline = state.nextCheckInTime ?? state.pause.pause?.until else {
            return .cancel(id: CancelID.moment)
        }
        let wait = CheckInRules.untilNextMinute(deadline: deadline, at: now)
        return .run { [clock] send in
            try await clock.sleep(for: wait)
            await send(.momentPassed)
        }
        .cancellable(id: CancelID.moment, cancelInFlight: true)
    }
}
