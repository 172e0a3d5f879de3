/// Triggers that reject a write about a person without a lock by the same transaction. So every
/// test on PostgreSQL checks that commands name their people. A trigger reads the locking
/// transaction from `xmax` in the person's row. If several transactions have locked the row, `xmax`
/// contains their group.
enum NamedPeople {
    /// The tables, with the columns that name the people of a row. Omits columns of rows that are
    /// added for another person without a lock, such as events. The trigger skips missing columns.
    private static let tables = [
        ("check_ins", ["user_id"]), ("alerts", ["user_id"]),
        ("contacts", ["low_id", "high_id", "user_id"]), ("pings", ["dependent_id"]),
        ("qr_codes", ["user_id"]), ("pictures", ["user_id"]), ("sources", ["user_id"]),
        ("recovery_codes", ["user_id"]), ("passkeys", ["user_id"]),
    ]

    static var statements: [String] {
        [
            function, trigger("users", ["id"], "UPDATE"),
            // After an outage, one statement postpones all due rows, so changes of the due time are
            // not checked.
            trigger("schedules", ["user_id"], "INSERT OR UPDATE OF last_check_in_at"),
            // The deletion of an account removes its name from others' rows, so updates are not
            // checked.
            trigger("alert_actions", ["user_id"], "INSERT"),
            trigger("blocks", ["blocker_id"], "INSERT"),
        ]
            // Clean-up deletes old rows without a lock, because they never change. So deletions are
            // not checked.
            + tables.map { trigger($0.0, $0.1, "INSERT OR UPDATE") }
    }

    private static func trigger(_ table: String, _ columns: [String], _ events: String) -> String {
        """
        CREATE TRIGGER named_people AFTER \(events) ON \(table) FOR EACH ROW
        EXECUTE FUNCTION check_named(\(columns.map { "'\($0)'" }.joined(separator: ", ")))
        """
    }

    private static let function = """
        CREATE FUNCTION check_named() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            present xid := pg_current_xact_id()::xid;
            person bytea;
            since xid;
            locker xid;
            is_named boolean;
        BEGIN
            FOR i IN 0 .. TG_NARGS - 1 LOOP
                CONTINUE WHEN NOT to_jsonb(NEW) ? TG_ARGV[i];
                EXECUTE format('SELECT ($1).%I', TG_ARGV[i]) INTO person USING NEW;
                SELECT xmin, xmax INTO since, locker FROM users WHERE id = person;
                CONTINUE WHEN NOT FOUND OR since = present OR locker = present;
                is_named := false;
                BEGIN
                    is_named := EXISTS (
                        SELECT 1 FROM pg_get_multixact_members(locker) WHERE xid = present);
                EXCEPTION WHEN OTHERS THEN
                    NULL;
                END;
                IF NOT is_named THEN
                    RAISE check_violation USING
                        MESSAGE = format('a write to %s does not name its people', TG_TABLE_NAME);
                END IF;
            END LOOP;
            RETURN NULL;
        END $$
        """
}
