extension Migration {
    /// The people whose copy at Google is out of date, and who leaves the emergency note out of it.
    /// An older server beside this one notes no changes; `lifesignal firestore --fill` catches up.
    static let firestore = Migration(
        version: 27,
        statements: [
            // No reference to `users`: the row of a deleted account remains until its documents are
            // deleted. `changed_at`: the oldest change that isn't copied. `lease`: a random number
            // of the server that copies; `next_try_at` is then the end of the lease.
            """
            CREATE TABLE firestore_changes (
                user_id BYTEA NOT NULL PRIMARY KEY CHECK (length(user_id) = 16),
                number BIGINT NOT NULL,
                changed_at BIGINT NOT NULL,
                next_try_at BIGINT NOT NULL,
                attempts BIGINT NOT NULL,
                lease BIGINT
            ) /* clustered */
            """,
            "CREATE INDEX firestore_changes_due ON firestore_changes (next_try_at)",
            "ALTER TABLE users ADD COLUMN leaves_note_out_of_copy BIGINT NOT NULL DEFAULT 0",
            // 1 for a former guest until the end of the onboarding, which names the copy.
            "ALTER TABLE users ADD COLUMN copy_waits BIGINT NOT NULL DEFAULT 0",
        ],
        oldestProgram: 5)
}
