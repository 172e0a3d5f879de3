/// Messages with a code that somebody has asked for, and about codes that ended.
extension NotificationText {
    public static let recoveryCodesEnded = NotificationText(
        .system, "Your recovery codes no longer work",
        "The server has a new key. Make new codes in Settings while you are signed in.")

    public static func signInCode(_ code: String) -> String {
        let lifetime = SignInRules.codeLifetime.words
        return "\(code) is your LifeSignal code. It is valid for \(lifetime). Don't share it."
    }

    /// The subject of the message that verifies an e-mail address.
    public static func emailCodeSubject(_ code: String) -> String {
        "\(code) is your LifeSignal code"
    }

    /// The message that verifies an e-mail address. It has no link, because mail scanners open
    /// links.
    public static func emailCode(_ code: String) -> [String] {
        [
            "\(code) is the code for this e-mail address. Enter it in LifeSignal.",
            """
            If you have not asked for it, ignore this message: LifeSignal will not write to \
            you again.
            """,
        ]
    }
}
