import Foundation

extension NotificationText {
    /// The one message to an invited person.
    public static func invitation(sender: String, link: URL) -> String {
        """
        \(sender) asks: may LifeSignal tell you by SMS and calls when they need help? \
        Yes or no: \(link.absoluteString) Without a yes, \(sender) can't have you written to again.
        """
    }

    /// The same by e-mail: the subject, and the paragraphs.
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
                "Without a yes, \(sender) can't have you written to again.",
            ]
        )
    }

    /// Text for the one who invited.
    public static func invitationDeclined(name: String) -> Self {
        .init(
            .contactRemoved, "\(name) said no",
            "\(name) does not want to be your responder. Ask somebody else.")
    }

    /// Text for those whose responder wants no text messages.
    /// - Parameter isGuest: without an account there is no other way to them.
    public static func textsStopped(name: String, isGuest: Bool) -> Self {
        .init(
            .system, "\(name) has stopped text messages",
            isGuest
                ? """
                LifeSignal can no longer tell \(name) when you need help. Ask them to answer \
                START, or choose another responder.
                """
                : "\(name) no longer gets an SMS when you need help. Other ways go on.")
    }
}
