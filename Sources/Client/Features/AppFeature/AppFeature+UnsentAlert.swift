import Clients
import ComposableArchitecture
import Domain
import Foundation

/// An alert that was not sent when the session ended elsewhere: the person is told at once, and
/// asked at the next sign-in. Without an answer it is sent (product.md, "Offline").
extension AppFeature {
    /// Alerts that were raised in this store, or in its browser, before the session ended.
    public struct LostAlerts: Equatable, Sendable {
        var user: UserID?
        /// The lost alerts, with the times at which they were raised.
        var raised: [AlertID: Date] = [:]
        /// Set while the person is asked.
        var sendsAt: Date?
        /// The person's answers; silence is yes.
        var answers: [AlertID: Bool] = [:]
    }

    func sessionEnded(_ unsent: [WaitingAction], _ state: inout State) -> Effect<Action> {
        guard let user = state.signedIn?.userID else { return .none }
        var lost = state.lostAlerts
        // The queue on disk asks about its own alerts.
        let isKept = unsent.contains { $0.kind == .raiseAlert }
        if !isKept, let (id, time) = state.alertOnItsWay(at: date.now) {
            if lost.user != user { lost = LostAlerts(user: user) }
            lost.raised[id] = time
        }
        lost.sendsAt = nil
        let isAlertUnsent = isKept || !lost.raised.isEmpty
        let effect = leave(&state, saying: isAlertUnsent ? .alertNotSent : .sessionEnded)
        state.lostAlerts = lost
        return effect
    }

    /// Asks about the lost alerts of the signed-in user.
    func askAboutLostAlerts(_ state: inout State) -> Effect<Action> {
        guard let user = state.signedIn?.userID, state.lostAlerts.user == user,
            !state.lostAlerts.raised.isEmpty, state.lostAlerts.sendsAt == nil
        else { return .none }
        state.lostAlerts.sendsAt = date.now.adding(UnsentAlert.timeToAnswer)
        return .run { [clock] send in
            try await clock.sleep(for: UnsentAlert.timeToAnswer)
            await send(.unsentAlertAnswered(isToBeSent: true))
        }
        .cancellable(id: CancelID.question, cancelInFlight: true)
    }

    func earlierAlertFound(_ id: AlertID, raisedAt time: Date, _ state: inout State) -> Effect<
        Action
    > {
        guard let user = state.signedIn?.userID, state.answer(about: id) == nil else {
            return .none
        }
        if state.lostAlerts.user != user { state.lostAlerts = LostAlerts(user: user) }
        state.lostAlerts.raised[id] = time
        return askAboutLostAlerts(&state)
    }

    func unsentAlertAnswered(isToBeSent: Bool, _ state: inout State) -> Effect<Action> {
        let isQueued = state.connectivity.unsentAlert != nil
        let lost = state.lostAlerts.sendsAt == nil ? [:] : state.lostAlerts.raised
        state.lostAlerts.sendsAt = nil
        for id in lost.keys {
            state.lostAlerts.raised[id] = nil
            state.lostAlerts.answers[id] = isToBeSent
        }
        state.connectivity.unsentAlert = nil
        let answer = Effect<Action>.run { _ in
            await connectivityClient.answerUnsentAlert(isToBeSent: isToBeSent)
        }
        return .merge(
            .cancel(id: CancelID.question), isQueued ? answer : .none,
            isToBeSent ? raise(lost) : .none)
    }

    /// Raises the alerts until the server has taken each.
    private func raise(_ alerts: [AlertID: Date]) -> Effect<Action> {
        guard !alerts.isEmpty else { return .none }
        return .run { [alertClient, clock] send in
            for (id, time) in alerts.sorted(by: { $0.value < $1.value }) {
                var failures = 0
                while !Task.isCancelled {
                    do {
                        _ = try await alertClient.raiseEarlier(id: id, raisedAt: time)
                        break
                    } catch {
                        failures += 1
                        if failures == 1 {
                            await send(.unsentAlertFailed(UserFacingError(catching: error)))
                        }
                        try await clock.sleep(for: AlertRules.retryDelay(afterFailures: failures))
                    }
                }
            }
        }
        .cancellable(id: CancelID.unsentAlert)
    }
}

extension AppFeature.State {
    /// The question to the person; nil when there is nothing to ask.
    public var unsentAlert: UnsentAlert? {
        if let alert = connectivity.unsentAlert { return alert }
        guard let sendsAt = lostAlerts.sendsAt, let raisedAt = lostAlerts.raised.values.min()
        else { return nil }
        return UnsentAlert(raisedAt: raisedAt, sendsAt: sendsAt)
    }

    /// The answer about an alert from before the sign-in; nil before there is one.
    public func answer(about id: AlertID) -> Bool? { lostAlerts.answers[id] }

    /// Pressed, and not known to be with the server.
    fileprivate func alertOnItsWay(at now: Date) -> (AlertID, Date)? {
        guard case .main(let main) = screen, let id = main.home.alert.alertID,
            main.home.alert.isActivatingAlert || main.home.alert.isSendingStart
        else { return nil }
        return (id, main.home.alert.alertStartTime ?? now)
    }
}

extension UserFacingError {
    static let alertNotSent = UserFacingError(
        title: "Your alert was NOT sent",
        message:
            """
            You were signed out: this session was ended on another device. No one knows about \
            your alert.
            """,
        recoverySuggestion: "Phone someone now: your local emergency number, or someone near you. "
            + "Then sign in again with your phone number.",
        code: "unauthenticated")
}
