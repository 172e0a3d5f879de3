extension Migration {
    /// Answers by SMS, numbers that opted out of SMS, and the clean-up of unneeded guests. Servers
    /// older than version 14 store answers without a channel.
    static let answers = Migration(
        version: 14,
        statements: [
            // The channel of a responder's answer; NULL for answers in the app or on a web page.
            "ALTER TABLE alert_actions ADD COLUMN channel TEXT",
            // When the person sent STOP; NULL after they have sent START.
            "ALTER TABLE users ADD COLUMN sms_stopped_at BIGINT",
            // When the person was last told how to answer by SMS.
            "ALTER TABLE users ADD COLUMN sms_help_at BIGINT",
            // When the clean-up first found that the guest isn't anyone's contact.
            "ALTER TABLE users ADD COLUMN guest_alone_since BIGINT",
            """
            CREATE INDEX users_by_guest_since ON users (guest_since) WHERE guest_since IS NOT NULL
            """,
            "CREATE INDEX invitations_by_number ON invitations (phone_number)",
        ],
        oldestProgram: 5)
}
