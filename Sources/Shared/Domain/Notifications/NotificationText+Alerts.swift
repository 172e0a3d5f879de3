import Foundation

/// News of an alert that is under way.
extension NotificationText {
    /// - Parameter receivedAt: when the server learned of it; told if it is more than a minute
    ///   later.
    public static func alertRaised(
        name: String, at time: Date, receivedAt: Date? = nil
    ) -> Self {
        guard let receivedAt, AlertRules.cameLate(startedAt: time, receivedAt: receivedAt) else {
            return .init(.alert, "\(name) needs help", "\(name) raised an alert at \(clock: time).")
        }
        return .init(
            .alert, "\(name) needs help",
            "\(name) raised an alert at \(clock: time), received at \(clock: receivedAt).")
    }

    /// Another deadline has passed while the alert of an earlier one is open.
    public static func missedAgain(name: String, deadline: Date) -> Self {
        .init(
            .alert, "\(name) missed another check-in",
            "Another deadline passed at \(clock: deadline). Please find out if "
                + "\(name) is fine.")
    }

    public static func alertConfirmed(responder: String, name: String) -> Self {
        .init(
            .alert, "\(responder) is still on it", "\(responder) is still helping \(name).")
    }

    /// Text for the other responders: the one who was on it is not any more.
    public static func alertReleased(responder: String, name: String) -> Self {
        .init(
            .alert, "\(name) still needs help",
            "\(responder) is no longer on it. Please find out if you can help.")
    }

    public static func alertReported(_ report: AlertReport, responder: String, name: String) -> Self
    {
        switch report {
        case .withThem:
            .init(
                .alert, "\(responder) is with \(name)",
                "The alert stays open until \(name) ends it.")
        case .foundSafe:
            .init(
                .alert, "\(responder) found \(name) safe",
                "The alert stays open until \(name) ends it.")
        case .emergencyServicesCalled:
            .init(
                .alert, "\(responder) called emergency services",
                "Help for \(name) is on its way. The alert stays open until \(name) ends it.")
        }
    }

    public static func alertResumed(responder: String, name: String) -> Self {
        .init(
            .alert, "\(name) may still need help",
            "\(responder) asked that everyone be alerted again. Please find out.")
    }

    /// The pause after a report is over.
    public static func pauseIsOver(name: String) -> Self {
        .init(
            .alert, "\(name)’s alert is still on",
            "It was paused for 12 hours. Please find out if \(name) still needs help.")
    }
}

/// Texts for the person concerned.
extension NotificationText {
    public static func helpIsNotComing(responder: String) -> Self {
        .init(
            .alert, "\(responder) is no longer on it",
            "Your other responders were told. Call for help directly if you need it now.")
    }

    public static func helpIsNotConfirmed(responder: String) -> Self {
        .init(
            .alert, "\(responder) has not confirmed",
            "Everyone was told again. Call for help directly if you need it now.")
    }

    /// Text for the person after 15 minutes without an acknowledgement.
    public static func nobodyHasTakenItOn(since time: Date) -> Self {
        .init(
            .alert, "No one has answered yet",
            "Your responders were told of your alert of \(clock: time). Call for "
                + "help directly if you need it now.")
    }

    /// The repeats of an owner without responders.
    public static func nobodyIsThere(since time: Date) -> Self {
        .init(
            .alert, "Your alert is still on",
            "It began at \(clock: time). You have no responders, so no one was told. "
                + "Call for help directly.")
    }

    public static func reportedToOwner(_ report: AlertReport, responder: String) -> Self {
        switch report {
        case .withThem:
            .init(.alert, "\(responder) says they are with you", "Your responders were told.")
        case .foundSafe:
            .init(.alert, "\(responder) says you are safe", "End the alert if that is true.")
        case .emergencyServicesCalled:
            .init(.alert, "\(responder) called emergency services", "Help is on its way.")
        }
    }
}
