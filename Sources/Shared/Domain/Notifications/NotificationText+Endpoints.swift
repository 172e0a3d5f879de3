extension NotificationText {
    public static func endpointAdded(host: String) -> Self {
        .init(
            .system, "A webhook was added",
            """
            \(host) gets your messages, too. If that was not you, remove it, and end the sessions \
            that are not yours.
            """)
    }

    public static let browserAdded = NotificationText(
        .system, "Another browser gets your messages",
        "Notifications were turned on there. \(NotificationText.ifNotYou)")

    public static let appAdded = NotificationText(
        .system, "Another app gets your messages",
        "Notifications were turned on there. \(NotificationText.ifNotYou)")

    /// Text for a browser that gets messages at another address of the same push service.
    public static let browserMoved = NotificationText(
        .system, "A browser has a new address for messages",
        """
        Browsers change it now and then. If one of your browsers shows no messages any more, \
        somebody else may get them: end its session.
        """)

    public static let appMoved = NotificationText(
        .system, "An app has a new address for messages",
        """
        Phones change it now and then. If LifeSignal on one of your phones shows no messages any \
        more, somebody else may get them: end its session.
        """)

    public static let endpointRemoved = NotificationText(
        .system, "A device gets no more messages",
        """
        Another device removed one of your browsers, apps or webhooks. \
        \(NotificationText.ifNotYou)
        """)

    /// - Parameter status: the HTTP status of the endpoint's answer.
    public static func endpointIsGone(host: String, status: Int) -> Self {
        .init(
            .system, "Your webhook does not work",
            "\(host) answers with error \(status). LifeSignal keeps trying for \(days) days.")
    }

    public static func endpointGivenUp(host: String) -> Self {
        .init(
            .system, "Your webhook was removed",
            "\(host) has accepted no message for \(days) days. Register it again when it works.")
    }

    /// Doesn't mention the push service, which most people don't know.
    public static let browserIsGone = NotificationText(
        .system, "A browser gets no more messages",
        "Open LifeSignal there and turn its notifications on again.")

    /// Text for the former user of a browser that another account has registered.
    public static let browserWasTaken = NotificationText(
        .system, browserIsGone.title,
        """
        Another account gets its messages in one of your browsers now. If you still use \
        LifeSignal there, open it and turn its notifications on again.
        """)

    /// Text for a browser that subscribed with the server's previous key.
    public static let browserHasOldKey = NotificationText(
        .system, "Open LifeSignal in your browser",
        "Until you do, one of your browsers gets no messages. It needs the server's new key.")

    public static let appIsGone = NotificationText(
        .system, "An app gets no more messages",
        "Open LifeSignal on that phone, or install it again, and turn its notifications on.")

    /// Text for the former user of a phone that another account has registered.
    public static let appWasTaken = NotificationText(
        .system, appIsGone.title,
        """
        Another account gets its messages on one of your phones now. If you still use LifeSignal \
        there, open it to get your own messages again.
        """)

    /// - Parameters:
    ///   - deviceName: the device of a session without use for a long time.
    ///   - isLastWay: true if no other channel reaches the person.
    public static func deviceEnds(deviceName: String, days: Int, isLastWay: Bool) -> Self {
        let rest = isLastWay ? " Nothing else reaches you." : ""
        return .init(
            .system, "Open LifeSignal to stay reachable",
            """
            You have not used LifeSignal on \(quoted(deviceName) ?? "one device") for a long time. \
            In \(span(days)) it will be signed out and get no more alerts.\(rest)
            """)
    }

    /// Text for the people who rely on a responder whose last channel ends soon.
    public static func responderFallsSilent(name: String, days: Int) -> Self {
        .init(
            .system, "\(name) may soon miss your alerts",
            """
            In \(span(days)) the last way to reach \(name) ends, because they don't use \
            LifeSignal. Ask \(name) to open it.
            """)
    }

    /// Text for the people who rely on a responder without a working channel.
    /// - Parameters:
    ///   - isGuest: true if the responder has no account, and so no app.
    ///   - hasStoppedTexts: true if the responder has sent STOP.
    public static func responderIsSilent(
        name: String, isGuest: Bool, hasStoppedTexts: Bool
    ) -> Self {
        let ways = hasStoppedTexts ? ", or to answer START to LifeSignal's number" : ""
        return .init(
            .system, "\(name) can't be told of your alerts",
            isGuest
                ? "No message reaches \(name). Choose another responder."
                : """
                No message reaches \(name) while LifeSignal is closed. Ask \(name) to open it and \
                turn notifications on\(ways).
                """)
    }

    public static let nothingReachesYou = NotificationText(
        .system, "Alerts no longer reach you",
        """
        The people who rely on you are being told. Turn notifications on to hear of their alerts \
        while LifeSignal is closed.
        """)

    private static func span(_ days: Int) -> String { days == 1 ? "1 day" : "\(days) days" }

    /// Test message to a browser or app that has confirmed nothing for a week.
    public static let deviceTest = NotificationText(
        .system, "Messages reach this device", "This was a test. There is nothing to do.")

    public static let endpointTest = NotificationText(
        .system, "Test: messages arrive here", "You asked for this test. No one needs help.")

    private static let days = EndpointRules.daysUntilGivenUp
}
