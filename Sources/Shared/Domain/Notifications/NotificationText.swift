import Foundation

/// The words of every notification. Short, and never with the emergency note in them (product.md,
/// "Notifications").
public struct NotificationText: Equatable, Sendable {
    public var type: NotificationType
    public var title: String
    private var timedBody: TimedText

    init(_ type: NotificationType, _ title: String, _ body: TimedText) {
        self.type = type
        self.title = title
        timedBody = body
    }

    /// The body with its times in UTC.
    public var body: String { body(in: nil) }

    /// - Parameter zone: the reader's; nil if it is not known.
    public func body(in zone: ClockZone?) -> String { timedBody.text(in: zone) }

    func adding(_ sentence: TimedText) -> Self {
        var text = self
        text.timedBody = timedBody + " " + sentence
        return text
    }
}

extension NotificationText {
    public static func reminder(_ reminder: Reminder, deadline: Date) -> Self {
        let lead =
            switch reminder {
            case .twoHours: "2 hours"
            case .thirtyMinutes: "30 minutes"
            }
        return .init(
            .system, "Check in soon",
            "Less than \(lead) left: check in before \(clock: deadline).")
    }

    /// Text of a device for its own user, who has checked in where there was no connection.
    public static func checkInWaits(deadline: Date) -> Self {
        .init(
            .system, "Your check-in has not been sent",
            """
            LifeSignal could not be reached. Open it where there is a connection, before \
            \(clock: deadline).
            """)
    }

    /// Text of a device for its own user, which does not know whether anybody was told.
    public static func deadlinePassed(deadline: Date) -> Self {
        .init(
            .alert, "You missed your check-in",
            """
            The deadline passed at \(clock: deadline). Check in to let your responders know that \
            you are fine.
            """)
    }

    public static func missedCheckIn(name: String, deadline: Date, at now: Date, late: Bool) -> Self
    {
        let lateness =
            late
            ? " This comes late: LifeSignal could not tell you for \(span(now.since(deadline)))."
            : ""
        return .init(
            .alert, "\(name) missed a check-in",
            """
            The deadline passed at \(clock: deadline). Please find out if \(name) is \
            fine.\(lateness)
            """
        )
    }

    /// Text for the user when there is no responder.
    public static func nobodyWasTold(deadline: Date) -> Self {
        .init(
            .alert, "You missed your check-in",
            """
            The deadline passed at \(clock: deadline). You have no responders, so \
            no one was told.
            """
        )
    }

    /// Text for the user when responders were told.
    public static func respondersWereTold(deadline: Date, count: Int) -> Self {
        .init(
            .alert, "You missed your check-in",
            """
            The deadline passed at \(clock: deadline). \(people(count)) told. Check \
            in to let them know you are fine.
            """
        )
    }

    /// Text for the user who raised an alert and has nobody to tell.
    public static let alertReachedNobody = NotificationText(
        .alert, "No one was told",
        "You have no responders, so no one was told. Call for help directly."
    )

    public static func alertRepeated(name: String, kind: AlertKind, since time: Date) -> Self {
        switch kind {
        case .manual:
            .init(
                .alert, "\(name) still needs help",
                "No one has answered the alert of \(clock: time) yet.")
        case .missedCheckIn:
            .init(
                .alert, "\(name) is still non-responsive",
                "No one has answered since \(clock: time).")
        }
    }

    public static func alertEnded(name: String, at time: Date) -> Self {
        .init(.alert, "\(name) ended the alert", "The alert ended at \(clock: time).")
    }

    public static func alertAcknowledged(responder: String, name: String) -> Self {
        .init(.alert, "\(responder) is on it", "\(responder) is helping \(name).")
    }

    /// Text for the person concerned.
    public static func helpIsComing(responder: String) -> Self {
        .init(.alert, "\(responder) is on it", "\(responder) is helping you.")
    }

    public static func doesItGoOn(name: String) -> Self {
        .init(
            .alert, "Does \(name) still need help?",
            """
            You took this on 30 minutes ago. Confirm that you are still on it, or everyone will be \
            told again.
            """
        )
    }

    public static func alertLapsed(name: String) -> Self {
        .init(
            .alert, "\(name) may still need help",
            "The responder who took it on has not confirmed. Please find out.")
    }

    /// Text for the responders who had been told: the person is fine.
    public static func checkedIn(name: String, occurredAt: Date, receivedAt: Date) -> Self {
        let delay: TimedText =
            receivedAt.since(occurredAt) >= Escalation.lateness
            ? ", received \(clock: receivedAt)" : ""
        return .init(
            .checkIn, "\(name) checked in",
            "\(name) checked in at \(clock: occurredAt)\(delay).")
    }

    public static func ping(name: String) -> Self {
        .init(.ping, "\(name) asks if you are fine", "Answer with one tap.")
    }

    public static func pingAnswered(name: String) -> Self {
        .init(.ping, "\(name) is fine", "\(name) answered your ping.")
    }

    public static func pingCleared(name: String) -> Self {
        .init(.ping, "No answer needed", "\(name) has taken the ping back.")
    }

    public static func pingEndedByRoles(name: String) -> Self {
        .init(
            .ping, "Ping cleared",
            "The ping between you and \(name) ended with the change of your roles.")
    }

    /// - Parameter duringAlert: the contact had been told of an alert that ends with the account.
    public static func accountDeleted(name: String, duringAlert: Bool = false) -> Self {
        let alert = duringAlert ? " The alert has ended with it." : ""
        return .init(
            .contactRemoved, "\(name) has left LifeSignal",
            "\(name) deleted the account and is no longer your contact.\(alert)")
    }

    private static func span(_ duration: Duration) -> String {
        let minutes = max(1, duration.milliseconds / 60_000)
        return minutes < 120
            ? "\(minutes) minute\(minutes == 1 ? "" : "s")" : "\(minutes / 60) hours"
    }

    private static func people(_ count: Int) -> String {
        count == 1 ? "Your responder was" : "Your \(count) responders were"
    }
}
