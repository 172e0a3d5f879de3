extension Migration {
    /// The calling code of a phone number without an account, for rate limits on sign-in codes.
    /// NULL for numbers with an account, and for codes that cost nothing.
    static let newNumbers = Migration(
        version: 20,
        statements: [
            "ALTER TABLE sign_in_codes ADD COLUMN calling_code BIGINT",
            """
            CREATE INDEX sign_in_codes_to_new_numbers ON sign_in_codes (created_at)
            WHERE calling_code IS NOT NULL
            """,
        ],
        oldestProgram: 5)
}
