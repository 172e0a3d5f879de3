extension Migration {
    /// The calling code of the number for which a sign-in code was requested, for rate limits. NULL
    /// for numbers with an account, and for codes that cost nothing.
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
