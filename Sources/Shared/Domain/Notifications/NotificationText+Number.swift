extension NotificationText {
    /// Text for the number that an account has left, as a text message: at most 160 characters.
    public static let numberLeft =
        "Your LifeSignal account moved to another number. If this was not you, open LifeSignal "
        + "where you are still signed in and change the number back."

    /// Text for the user, on every device that is signed in.
    public static let numberChanged = NotificationText(
        .system, "Your phone number was changed",
        """
        Your account moved to another phone number. If this was not you, end the other sessions \
        and change it back.
        """)

    public static func contactNumberChanged(name: String) -> Self {
        .init(
            .system, "\(name) has a new phone number",
            """
            \(name)'s account moved to another phone number. If this surprises you, ask \(name) in \
            another way.
            """)
    }
}
