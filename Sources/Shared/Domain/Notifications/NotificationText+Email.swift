import Foundation

/// News of the account's e-mail address.
extension NotificationText {
    public static func emailAdded(_ address: String) -> Self {
        .init(
            .system, "Your e-mail address was added",
            """
            Alerts come by e-mail to \(address), too. If that was not you, remove the address in \
            your profile, and end the sessions that are not yours.
            """, kind: .lastingChange)
    }

    public static func emailReplaced(by address: String) -> Self {
        .init(
            .system, "Your e-mail address was replaced",
            """
            E-mail now goes to \(address). If that was not you, enter your address again in your \
            profile, and end the sessions that are not yours.
            """, kind: .lastingChange)
    }

    /// Last e-mail to an address that an account no longer uses.
    /// - Parameter sessionLink: the page that ends the session that removed the address; nil for an
    ///   address that was confirmed a short time ago.
    public static func emailLeft(sessionLink: URL?) -> (subject: String, paragraphs: [String]) {
        let end = sessionLink.map { "it, without signing in: \($0.absoluteString)" }
        return (
            "LifeSignal no longer writes to this address",
            [
                "Your LifeSignal account no longer uses this e-mail address.",
                "If that was not you, end the session that removed \(end ?? "it.")",
            ]
        )
    }
}
