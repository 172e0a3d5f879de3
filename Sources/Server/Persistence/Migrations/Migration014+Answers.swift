extension Migration {
    /// Answers by text message, numbers that want none, and guests whom nobody needs any more.
    /// Programs of earlier schemas enter answers without a channel.
    static let answers = Migration(
        version: 14,
        statements: [
            // How a responder said it; NULL in the app or on a page.
            "ALTER TABLE alert_actions ADD COLUMN channel TEXT",
            // When the person wrote STOP; NULL once they write START.
            "ALTER TABLE users ADD COLUMN sms_stopped_at BIGINT",
            // When the person was last told how to answer.
            "ALTER TABLE users ADD COLUMN sms_help_at BIGINT",
            // Since when a guest has been without a relation, as the clean-up has seen it.
            "ALTER TABLE users ADD COLUMN guest_alone_since BIGINT",
            """
            CREATE INDEX users_by_guest_since ON users (guest_since) WHERE guest_since IS NOT NULL
            """,
            "CREATE INDEX invitations_by_number ON invitations (phone_number)",
        ],
        oldestProgram: 5)
}
