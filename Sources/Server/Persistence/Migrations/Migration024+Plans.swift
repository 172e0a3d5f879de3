extension Migration {
    /// Schedules by the clock and pauses. For a person with an interval, all columns stay NULL, and
    /// so the row doesn't change. An older server beside this one arms other people by their
    /// interval; the next server that starts corrects that (`PlanRepair`).
    static let plans = Migration(
        version: 24,
        statements: [
            // `CheckInPlan` as JSON; NULL for an interval.
            "ALTER TABLE schedules ADD COLUMN plan TEXT",
            // The deadline, unless it is the last check-in plus the interval.
            "ALTER TABLE schedules ADD COLUMN own_deadline_at BIGINT",
            // `FirstDeadline`.
            "ALTER TABLE schedules ADD COLUMN start_from BIGINT",
            "ALTER TABLE schedules ADD COLUMN start_deadline_at BIGINT",
            // `CheckInPause`.
            "ALTER TABLE schedules ADD COLUMN paused_at BIGINT",
            "ALTER TABLE schedules ADD COLUMN paused_until BIGINT",
            // `LastCall.flags`; NULL for the standard.
            "ALTER TABLE schedules ADD COLUMN last_call BIGINT",
            // For the repair of deadlines; a check-in doesn't write to it.
            "CREATE INDEX schedules_plans ON schedules (user_id) WHERE plan IS NOT NULL",
            // When the window of the next deadline opens, if the check-in came before it.
            "ALTER TABLE check_ins ADD COLUMN opens_at BIGINT",
        ],
        oldestProgram: 5)
}
