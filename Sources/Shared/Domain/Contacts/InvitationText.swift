import Foundation

extension NotificationText {
    /// Returns the only message that an invited person gets.
    /// - Parameter withCalls: true if the server can call people.
    public static func invitation(sender: String, link: URL, withCalls: Bool) -> String {
        """
        \(sender) asks: may LifeSignal tell you by SMS\(withCalls ? " and calls" : "") when they \
        need help? Yes or no: \(link.absoluteString) Without a yes, \(sender) can't invite you \
        again.
        """
    }

    public static func invitationMail(
        sender: String, link: URL
    ) -> (subject: String, paragraphs: [String]) {
        (
            "\(sender) asks for your help",
            [
                """
                \(sender) asks: may LifeSignal tell you by e-mail when they need help? You need \
                no app and no account.
                """,
                "Yes or no: \(link.absoluteString)",
                "Without a yes, \(sender) can't invite you again.",
            ]
        )
    }

    /// Text for the inviting person.
    public static func invitationDeclined(name: String) -> Self {
        .init(
            .contactRemoved, "\(name) said no",
            "\(name) does not want to be your responder. Ask somebody else.")
    }

    /// Text for a person whose responder stopped the messages by a link, or lost the last channel.
    public static func helperStopped(name: String) -> Self {
        .init(
            .contactRemoved, "\(name) no longer helps you",
            "\(name) is no longer told when you need help.")
    }

    /// Text for a person whose responder undid the stop.
    public static func helperReturned(name: String) -> Self {
        .init(
            .contactAdded, "\(name) helps you again",
            "\(name) is told again when you need help.")
    }

    /// Text for people whose responder stopped text messages.
    /// - Parameter isGuest: true if the responder has no account, so that only SMS and calls reach
    ///   them.
    public static func textsStopped(name: String, isGuest: Bool) -> Self {
        .init(
            .system, "\(name) has stopped text messages",
            isGuest
                ? """
                LifeSignal can no longer tell \(name) when you need help. Ask them to answer \
                START, or choose another responder.
                """
                : """
                \(name) no longer gets an SMS when you need help. LifeSignal still uses other ways.
                """)
    }

    /// Text for people whose responder gets text messages again.
    /// - Parameter isGuest: true if the responder has no account.
    public static func textsStarted(name: String, isGuest: Bool) -> Self {
        .init(
            .system, "\(name) gets text messages again",
            isGuest
                ? "LifeSignal can tell \(name) again when you need help."
                : "\(name) gets an SMS again when you need help.")
    }
}
