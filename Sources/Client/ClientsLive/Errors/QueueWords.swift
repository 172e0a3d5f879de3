import Clients
import Domain

extension UserFacingError {
    /// Shown if signing out would discard queued actions.
    /// - Parameter isReached: true if the server has asked to wait.
    static func stillWaiting(_ count: Int, isReached: Bool) -> UserFacingError {
        let actions = count == 1 ? "One action is" : "\(count) actions are"
        let reason = isReached ? "asks you to wait" : "can’t be reached"
        return UserFacingError(
            title: "Not everything is sent",
            message: "\(actions) waiting to be sent, and LifeSignal \(reason).",
            recoverySuggestion: isReached
                ? "Sign out in a few minutes, or sign out and discard what is waiting."
                : "Sign out when you are online again, or sign out and discard what is waiting.",
            code: "unsent")
    }

    /// Shown if the session has ended while these actions were queued: on another device, or by a
    /// sign-out on this one.
    public static func signedOut(with unsent: [WaitingAction]) -> UserFacingError {
        let isAlert = unsent.contains { $0.kind == .raiseAlert }
        return UserFacingError(
            title: isAlert ? "Your alert was NOT sent" : "You were signed out",
            message: isAlert
                ? """
                You were signed out: your session ended before it was sent. We don't know whether \
                anyone was told.
                """
                : "Your session has ended. Anything not sent is kept for you.",
            recoverySuggestion: isAlert
                ? """
                Phone someone now: your local emergency number, or someone near you. Then sign \
                in again.
                """
                : "Sign in with your phone number, and it is sent.",
            code: .unauthenticated)
    }

    /// Shown if a person answers a ping that was cleared or has expired, or that this device
    /// doesn't know yet.
    static let pingIsGone = UserFacingError(
        .action(.respondToPing), "This ping is no longer open.",
        "Go back and look at the list again.", .notFound)

    /// Shown if signing out would discard an alert that the app is still asking about.
    static let unansweredAlert = UserFacingError(
        title: "An alert was not sent",
        message: "You are being asked whether to send an alert that was not sent.",
        recoverySuggestion: "Answer first, then sign out.", code: "unsent")

    static let queueWasDamaged = UserFacingError(
        title: "Something may not have been sent",
        message:
            "LifeSignal’s file of unsent actions was damaged. Anything not sent may be lost.",
        recoverySuggestion:
            "Look at your last check-in and your alerts, and repeat anything missing.",
        code: "queue-damaged")
}
