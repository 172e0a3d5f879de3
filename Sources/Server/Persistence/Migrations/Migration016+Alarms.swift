extension Migration {
    /// Lets the deadline monitor handle missed deadlines before reminders. Servers older than
    /// version 16 don't update `next_is_alarm`; a wrong value only changes the order.
    static let alarmsFirst = Migration(
        version: 16,
        statements: [
            // 1 if the deadline is due next, 0 if a reminder is.
            "ALTER TABLE schedules ADD COLUMN next_is_alarm SMALLINT NOT NULL DEFAULT 0",
            """
            UPDATE schedules SET next_is_alarm = 1
            WHERE next_due_at >= last_check_in_at + interval_seconds * 1000
            """,
            // An index for alarms only, so that a check-in of a user with reminders doesn't write
            // to it.
            """
            CREATE INDEX schedules_alarms ON schedules (next_due_at)
            WHERE next_due_at IS NOT NULL AND next_is_alarm = 1
            """,
        ],
        oldestProgram: 5)
}
