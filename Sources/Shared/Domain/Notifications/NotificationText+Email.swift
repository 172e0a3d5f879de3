extension NotificationText {
    public static let emailAdded = NotificationText(
        .system, "Your e-mail address was added",
        "Alerts come by e-mail, too. If that was not you, remove the address in your profile.")

    public static let emailStopped = NotificationText(
        .system, "You get no more e-mail",
        "Somebody used the link in an e-mail to stop them. You can add the address again.")

    public static let emailIsGone = NotificationText(
        .system, "E-mail does not reach you",
        """
        Your mail provider says that there is no such mailbox. LifeSignal keeps trying for \
        \(EndpointRules.daysUntilGivenUp) days.
        """)

    public static let emailGivenUp = NotificationText(
        .system, "Your e-mail address was removed",
        "No message has reached it for \(EndpointRules.daysUntilGivenUp) days. Add it again.")
}
