import Foundation

/// Texts for the responders.
extension NotificationText {
    /// - Parameter late: true if an outage delayed the alert.
    public static func notBack(
        name: String, journey: String, expected: Date, late: Bool
    ) -> Self {
        let text = Self(
            .alert, "\(name) is not back from \(journey)",
            """
            \(name) should have been back at \(clock: expected). Please find out if they are fine.
            """)
        return late ? text.adding("This is late: LifeSignal could not tell you before.") : text
    }

    /// Text after a restore from a backup, which may have lost the arrival.
    public static func mayNotBeBack(
        name: String, journey: String, expected: Date, incompleteSince: Date
    ) -> Self {
        .init(
            .alert, "\(name) may not be back from \(journey)",
            """
            \(name) should have been back at \(clock: expected). LifeSignal was restored, and may \
            have lost news since \(clock: incompleteSince). Please find out.
            """)
    }

    public static func journeyStarted(name: String, journey: String, expected: Date) -> Self {
        .init(
            .system, "\(name) is on the way: \(journey)",
            """
            \(name) wants to be back at \(clock: expected). LifeSignal tells you if they are late.
            """,
            kind: .journey)
    }

    /// - Parameter isEarlier: true if the new return is before the present one.
    public static func journeyExtended(
        name: String, journey: String, expected: Date, isEarlier: Bool = false, pressedAt: Date,
        receivedAt: Date, endsAlert: Bool = false, keepsAlert: Bool = false
    ) -> Self {
        .init(
            endsAlert ? .alert : .system,
            "\(name) comes back \(isEarlier ? "earlier" : "later"): \(journey)",
            """
            \(name) now wants to be back at \(clock: expected), and said so at \
            \(clock: pressedAt)\(received(pressedAt, receivedAt)).
            """ + fate(endsAlert: endsAlert, keepsAlert: keepsAlert), kind: .journey)
    }

    /// Text about a return that a restore from a backup had lost, and that a device sends again by
    /// itself.
    public static func journeyReturnResent(
        name: String, journey: String, expected: Date, endsAlert: Bool = false,
        keepsAlert: Bool = false
    ) -> Self {
        .init(
            endsAlert ? .alert : .system, "\(name) wanted to come back later: \(journey)",
            """
            \(name) had chosen to be back at \(clock: expected), before LifeSignal was restored. \
            This is no new word from \(name).
            """ + fate(endsAlert: endsAlert, keepsAlert: keepsAlert), kind: .journey)
    }

    /// Returns the sentence about the open alert; empty without one.
    private static func fate(endsAlert: Bool, keepsAlert: Bool = false) -> TimedText {
        if endsAlert { return " The alert has ended." }
        return keepsAlert ? " This time has passed, so the alert goes on." : ""
    }

    public static func journeyEnded(
        name: String, journey: String, pressedAt: Date, receivedAt: Date,
        endsAlert: Bool = false
    ) -> Self {
        .init(
            endsAlert ? .alert : .system, "\(name) has arrived: \(journey)",
            "\(name) said so at \(clock: pressedAt)\(received(pressedAt, receivedAt))."
                + fate(endsAlert: endsAlert), kind: .journey)
    }

    private static func received(_ pressedAt: Date, _ receivedAt: Date) -> TimedText {
        AlertRules.cameLate(startedAt: pressedAt, receivedAt: receivedAt)
            ? ", received at \(clock: receivedAt)" : ""
    }
}

/// Texts for the person on the journey.
extension NotificationText {
    /// Text 15 minutes before the return, and at the return.
    /// - Parameters:
    ///   - responders: the responders who would be told; nil on a device, which doesn't know them.
    ///   - others: the responders who would be told after them.
    public static func journeyReminder(
        _ step: JourneyStep, journey: String, expected: Date, deadline: Date,
        responders: ToldResponders?, others: ToldResponders = ToldResponders(told: 0, all: 0)
    ) -> Self {
        let waitsForOthers = responders?.told == 0 && others.told > 0
        let time = waitsForOthers ? deadline.adding(Escalation.ownerNotifiedAfter) : deadline
        let threat: TimedText = """
            told at \(clock: time) unless you say that you have arrived, or choose a later \
            return.
            """
        var consequence: TimedText = "Your responders are \(threat)"
        if let responders, waitsForOthers {
            consequence = responders.willBeFollowed(by: others, threat)
        } else if let responders {
            consequence = responders.willBeTold(threat)
            if responders.told == 0 { consequence = consequence + " Say that you have arrived." }
        }
        return step == .remindBefore
            ? .init(
                .system, "Back from \(journey) soon?",
                "You wanted to be back at \(clock: expected). \(consequence)")
            : .init(.system, "Are you back from \(journey)?", consequence)
    }

    /// Text that a device shows its own user while a press about the journey waits to be sent.
    public static func journeyPressWaits(isArrival: Bool, deadline: Date) -> Self {
        .init(
            .system,
            isArrival ? "Your arrival has not been sent" : "Your later return has not been sent",
            """
            LifeSignal could not be reached. Open it where there is a connection, before \
            \(clock: deadline).
            """)
    }

    /// Text after the responders were notified. Says whether any message can reach them.
    public static func journeyRespondersWereTold(
        journey: String, expected: Date, _ responders: ToldResponders
    ) -> Self {
        let help = responders.told > 0 ? "" : " If not, call for help directly."
        return .init(
            .alert, "You are not back from \(journey)",
            """
            You wanted to be back at \(clock: expected). \(responders.beingTold) If you are fine, \
            say that you have arrived, or choose a later return.\(help)
            """)
    }

    /// Text for the chosen responders after all of them have refused.
    public static func chosenRefused(name: String) -> Self {
        .init(
            .alert, "\(name) still needs help",
            """
            The responders chosen for this journey can't come. All responders are being alerted \
            now.
            """)
    }

    /// Text after all chosen responders have refused, or none of them is an accepted responder. One
    /// who was removed and only asked again hasn't refused.
    public static let journeyReachesAll = NotificationText(
        .alert, "No responder you chose is on it",
        """
        LifeSignal is now alerting all your responders. Call for help directly if you need it now.
        """)
}

extension ToldResponders {
    /// Returns that no message reaches the chosen responders, and "Your other responder is" with
    /// this ending.
    fileprivate func willBeFollowed(by others: Self, _ ending: TimedText) -> TimedText {
        let verb = others.told == 1 ? "is" : "are"
        let later =
            others.told < others.all
            ? "\(others.told) of your \(others.all) other responders"
            : others.all == 1 ? "Your other responder" : "Your \(others.all) other responders"
        return "\(silence) \(later) \(verb) \(ending)"
    }
}
