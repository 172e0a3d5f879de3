extension NotificationText {
    /// Text message to the number that an account has left; at most 160 characters.
    public static let numberLeft =
        "Your LifeSignal account moved to another number. If this was not you, open LifeSignal "
        + "where you are still signed in and change the number back."

    /// Text for the user, on every signed-in device.
    public static let numberChanged = NotificationText(
        .system, "Your phone number was changed",
        """
        Your account moved to another phone number. If this was not you, end the other sessions \
        and change it back.
        """)

    /// Text for a user whose number, in another form, belongs to another account.
    public static let numberTaken = NotificationText(
        .system, "Another account has your phone number",
        """
        It is the same number, written in another way. You stay signed in here. To sign in again \
        later, enter another number in your profile, or use the other account.
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
