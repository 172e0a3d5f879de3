import Domain
import Foundation

extension [UserID] {
    /// The text for a column `only_for`.
    var columnText: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }

    init?(columnText text: String?) {
        guard let text,
            let ids = try? JSONDecoder().decode([UserID].self, from: Data(text.utf8))
        else { return nil }
        self = ids
    }
}

extension UserID {
    /// A pattern for `LIKE` that finds this person in a column `only_for`.
    var onlyForPattern: SQLValue { .text("%\(description)%") }
}

extension Journey {
    static let columns = """
        id, name, note, started_at, expected_return_at, return_chosen_at, grace_minutes, \
        only_for, tells_responders, reminders, alert_id, ended_at
        """

    init(_ row: SQLRow) throws {
        let sent: Int = try row["reminders"]
        self.init(
            id: try row["id"], name: try row["name"], note: try row["note"],
            startedAt: try row["started_at"], expectedReturn: try row["expected_return_at"],
            returnChosenAt: try row["return_chosen_at"], graceMinutes: try row["grace_minutes"],
            responders: [UserID](columnText: try row["only_for"]),
            tellsResponders: try row["tells_responders"],
            remindersSent: Set(JourneyStep.allCases.prefix(sent)), alert: try row["alert_id"],
            endedAt: try row["ended_at"])
    }
}

extension SQLConnection {
    /// Returns the person's newest journey, which may have ended.
    public func journey(of user: UserID) throws -> Journey? {
        try first(
            "SELECT \(Journey.columns) FROM journeys WHERE user_id = $1", [.id(user)],
            Journey.init)
    }

    /// Returns the people whose journey is due: an alarm, or a reminder whose alarm isn't due.
    public func dueJourneys(areAlarms: Bool, at now: Date, limit: Int) throws -> [UserID] {
        try values(
            """
            SELECT user_id FROM journeys WHERE next_due_at IS NOT NULL AND next_due_at <= $1
                AND deadline_at \(areAlarms ? "<=" : ">") $1
            ORDER BY next_due_at LIMIT $2
            """, [.date(now), .int(limit)])
    }

    /// Returns a page of the people with a running journey, in the order of their ids.
    public func peopleOnJourneys(after user: UserID?, limit: Int) throws -> [UserID] {
        try values(
            """
            SELECT user_id FROM journeys WHERE ended_at IS NULL AND user_id > $1
            ORDER BY user_id LIMIT $2
            """, [user.map { .id($0) } ?? .blob(Data()), .int(limit)])
    }

    /// Returns when the deadline monitor should handle the journey; nil after its alert or end.
    public func nextDue(ofJourneyOf user: UserID) throws -> Date? {
        try value("SELECT next_due_at FROM journeys WHERE user_id = $1", [.id(user)])
    }

    /// Returns the journey; nil if it isn't due.
    public func dueJourney(of user: UserID, at now: Date) throws -> Journey? {
        try first(
            """
            SELECT \(Journey.columns) FROM journeys
            WHERE user_id = $1 AND next_due_at IS NOT NULL AND next_due_at <= $2
            """, [.id(user), .date(now)], Journey.init)
    }
}

extension Transaction {
    /// Replaces the person's last journey.
    public func save(_ journey: Journey, of user: UserID) throws {
        try execute("DELETE FROM journeys WHERE user_id = $1", [.id(user)])
        let nextDue = journey.nextDue
        try insert(
            into: "journeys",
            [
                "user_id", "id", "name", "note", "started_at", "expected_return_at",
                "return_chosen_at", "grace_minutes", "deadline_at", "only_for", "tells_responders",
                "reminders",
                "alert_id", "ended_at", "next_due_at",
            ],
            [
                [
                    .id(user), .id(journey.id), .text(journey.name), .text(journey.note),
                    .date(journey.startedAt), .date(journey.expectedReturn),
                    .date(journey.returnChosenAt),
                    .int(journey.graceMinutes), .date(journey.deadline),
                    try journey.responders.map { .text(try $0.columnText) } ?? .null,
                    .bool(journey.tellsResponders), .int(journey.remindersSent.count),
                    .id(journey.alert), .date(journey.endedAt), .date(nextDue),
                ]
            ])
        wakeDeadlineMonitor(at: nextDue)
    }

    /// Records a later press that left the expected return as it was.
    public func noteReturnChosen(at time: Date, of user: UserID) throws {
        try execute(
            "UPDATE journeys SET return_chosen_at = $1 WHERE user_id = $2",
            [.date(time), .id(user)])
    }

    /// Postpones a journey that can't be handled now, so that it doesn't block others.
    public func postponeJourney(of user: UserID, until time: Date) throws {
        try execute(
            "UPDATE journeys SET next_due_at = $1 WHERE user_id = $2", [.date(time), .id(user)])
        wakeDeadlineMonitor(at: time)
    }

    /// Delays the alerts about returns that passed since the backup, or will by then, after a
    /// restore. Devices send arrivals again.
    public func holdJourneys(endingAfter backup: Date, until time: Date) throws {
        try execute(
            """
            UPDATE journeys SET next_due_at = $1
            WHERE next_due_at IS NOT NULL AND next_due_at < $1 AND deadline_at BETWEEN $2 AND $1
            """, [.date(time), .date(backup)])
        wakeDeadlineMonitor(at: time)
    }

    /// Withdraws unsent reminders of the person's journey.
    public func supersedeJourneyReminders(of user: UserID) throws {
        try supersedeReminders(of: [user], purposes: [.journey], reason: StoredReason.newerNews)
    }
}
