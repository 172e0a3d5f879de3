extension NotificationText {
    public static func endpointAdded(host: String) -> Self {
        .init(
            .system, "A webhook was added",
            """
            \(host) gets your messages, too. If that was not you, remove it, and end the sessions \
            that are not yours.
            """)
    }

    /// - Parameters:
    ///   - host: of the endpoint's address.
    ///   - status: what it answered.
    public static func endpointIsGone(host: String, status: Int) -> Self {
        .init(
            .system, "Your webhook does not answer",
            "\(host) answers \(status). LifeSignal keeps trying for \(days) days.")
    }

    public static func endpointGivenUp(host: String) -> Self {
        .init(
            .system, "Your webhook was removed",
            "\(host) has taken no message for \(days) days. Register it again when it works.")
    }

    /// A browser's push service is no word that people know.
    public static let browserIsGone = NotificationText(
        .system, "A browser gets no more messages",
        "Open LifeSignal there and turn its notifications on again.")

    public static let appIsGone = NotificationText(
        .system, "An app gets no more messages",
        "Open LifeSignal on that phone, or install it again, and turn its notifications on.")

    /// The weekly message to a browser or an app that has confirmed none.
    public static let deviceTest = NotificationText(
        .system, "This device is reached", "This was a test. There is nothing to do.")

    /// A test that the user has asked for.
    public static let endpointTest = NotificationText(
        .system, "Test: messages arrive here", "You asked for this test. Nobody needs you.")

    private static let days = EndpointRules.daysUntilGivenUp
}
