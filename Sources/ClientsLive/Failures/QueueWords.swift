import Domain

extension UserFacingError {
    /// Signing out would give up what waits.
    static func stillWaiting(_ count: Int) -> UserFacingError {
        UserFacingError(
            title: "Not everything is sent",
            message: count == 1
                ? "Something you did waits to be sent, and LifeSignal can't be reached."
                : "\(count) things you did wait to be sent, and LifeSignal can't be reached.",
            recoverySuggestion: "Sign out when you are online again, or sign out and give up what waits.", code: "unsent")
    }

    static let queueWasDamaged = UserFacingError(
        title: "Something may not have been sent",
        message: "The file in which LifeSignal keeps what waits to be sent was damaged. What had not been sent from it may be lost.",
        recoverySuggestion: "Look at your last check-in and at your alerts, and do again what is missing.", code: "queue-damaged")
}
