import Foundation

extension NotificationText {
    /// The one message to an invited person.
    public static func invitation(sender: String, link: URL) -> String {
        """
        \(sender) asks: may LifeSignal tell you by SMS and calls when they need help? \
        Yes or no: \(link.absoluteString) Without a yes, \(sender) can't have you written to again.
        """
    }

    /// Text for the one who invited.
    public static func invitationDeclined(name: String) -> Self {
        .init(
            .contactRemoved, "\(name) said no",
            "\(name) does not want to be your responder. Ask somebody else.")
    }
}
