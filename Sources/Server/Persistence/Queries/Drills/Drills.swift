import Domain
import Foundation

extension SQLConnection {
    /// Returns a person's newest drill, with its answers.
    public func drill(of owner: UserID) throws -> DrillRecord? {
        let found = try first(
            "SELECT id, started_at, ends_at, ended_at, end_reason FROM drills WHERE user_id = $1",
            [.id(owner)]
        ) { row in
            DrillRecord(
                id: try row["id"], startedAt: try row["started_at"], endsAt: try row["ends_at"],
                endedAt: try row["ended_at"],
                end: (try row["end_reason"] as String?).map {
                    DrillRecord.End(rawValue: $0) ?? .unknown
                })
        }
        guard var drill = found else { return nil }
        drill.answers = try query(
            """
            SELECT person_id, name, answered_at, channel, notification_id FROM drill_answers
            WHERE user_id = $1 AND owner_id = $1 ORDER BY place
            """, [.id(owner)]
        ) { row in
            let notification: NotificationID? = try row["notification_id"]
            return DrillAnswer(
                personID: try row["person_id"], name: try row["name"],
                answeredAt: try row["answered_at"],
                channel: (try row["channel"] as String?).map {
                    DeliveryChannel(rawValue: $0) ?? .unknown
                }, isAsked: notification == nil ? false : nil)
        }
        return drill
    }

    /// Returns the running drills that ask this person for an answer.
    public func drillQuestions(to person: UserID) throws -> [DrillQuestion] {
        try drillQuestions(to: person, endingAfter: now)
    }

    /// Returns the drills of the last 24 hours that ended without this person's answer.
    public func missedDrillQuestions(to person: UserID) throws -> [DrillQuestion] {
        try drillQuestions(to: person, endingAfter: now.adding(.zero - DrillRules.pause))
            .filter { $0.answeredAt == nil && !$0.isOpen(at: now) }
    }

    /// Returns all stored drills that asked this person for an answer.
    public func allDrillQuestions(to person: UserID) throws -> [DrillQuestion] {
        try drillQuestions(to: person, endingAfter: Date(timeIntervalSince1970: 0))
    }

    private func drillQuestions(
        to person: UserID, endingAfter moment: Date
    ) throws -> [DrillQuestion] {
        try query(
            """
            SELECT \(DrillQuestion.columns) FROM drill_answers
            WHERE user_id = $1 AND person_id = $1 AND ends_at > $2 ORDER BY started_at, owner_id
            """, [.id(person), .date(moment)], DrillQuestion.init)
    }

    /// Returns the question of the drill with this id. Clients choose the ids, so two owners can
    /// have the same: a running drill without an answer comes first.
    public func drillQuestion(_ id: DrillID, to person: UserID) throws -> DrillQuestion? {
        try first(
            """
            SELECT \(DrillQuestion.columns) FROM drill_answers
            WHERE user_id = $1 AND person_id = $1 AND drill_id = $2
            ORDER BY CASE WHEN answered_at IS NULL AND ends_at > $3 THEN 0 ELSE 1 END,
                started_at, owner_id LIMIT 1
            """, [.id(person), .id(id), .date(now)], DrillQuestion.init)
    }

    /// Returns a question as it is now; nil once its owner has a newer drill.
    public func drillQuestion(
        _ question: DrillQuestion, to person: UserID
    ) throws -> DrillQuestion? {
        try first(
            """
            SELECT \(DrillQuestion.columns) FROM drill_answers
            WHERE user_id = $1 AND owner_id = $2 AND person_id = $1 AND drill_id = $3
            """, [.id(person), .id(question.ownerID), .id(question.id)], DrillQuestion.init)
    }

    /// Returns true if another owner's drill with this id asks one of the people.
    public func hasDrillQuestion(
        _ id: DrillID, to people: [UserID], notOf owner: UserID
    ) throws -> Bool {
        try !query(
            about: people,
            {
                """
                SELECT owner_id FROM drill_answers
                WHERE drill_id = $1 AND owner_id <> $2 AND person_id = user_id AND user_id \($0)
                """
            }, [.id(id), .id(owner)]
        ) { try $0["owner_id"] as UserID }.isEmpty
    }

    public func drillQuestion(
        ofDelivery id: DeliveryID, to person: UserID
    ) throws -> DrillQuestion? {
        let notification: NotificationID? = try value(
            """
            SELECT notification_id FROM deliveries
            WHERE user_id = $1 AND id = $2 AND purpose = 'drill'
            """, [.id(person), .id(id)])
        return try notification.flatMap { try drillQuestion(of: $0, to: person) }
    }

    /// Returns true for a message of a drill, also if the drill no longer asks the person.
    public func isDrill(_ id: DeliveryID, to person: UserID) throws -> Bool {
        try hasRow(
            "SELECT 1 FROM deliveries WHERE user_id = $1 AND id = $2 AND purpose = 'drill'",
            [.id(person), .id(id)])
    }

    public func drillQuestion(
        of notification: NotificationID, to person: UserID
    ) throws -> DrillQuestion? {
        try first(
            """
            SELECT \(DrillQuestion.columns) FROM drill_answers
            WHERE user_id = $1 AND person_id = $1 AND notification_id = $2
            """, [.id(person), .id(notification)], DrillQuestion.init)
    }

    /// Returns the owners of drills whose next decision is due.
    public func dueDrills(at now: Date, limit: Int) throws -> [UserID] {
        try values(
            """
            SELECT user_id FROM drills
            WHERE next_due_at IS NOT NULL AND next_due_at <= $1 ORDER BY next_due_at LIMIT $2
            """, [.date(now), .int(limit)])
    }

    /// Returns those of the owners who have a running drill.
    public func runningDrills(of owners: [UserID]) throws -> [UserID] {
        try query(
            about: owners, { "SELECT user_id FROM drills WHERE ended_at IS NULL AND user_id \($0)" }
        ) { try $0["user_id"] }
    }

    /// Returns the notification that a drill sent to each person.
    private func drillNotifications(of owner: UserID) throws -> [UserID: NotificationID] {
        let rows = try query(
            """
            SELECT person_id, notification_id FROM drill_answers
            WHERE user_id = $1 AND owner_id = $1 AND notification_id IS NOT NULL
            """, [.id(owner)]
        ) { (try $0["person_id"] as UserID, try $0["notification_id"] as NotificationID) }
        return Dictionary(rows, uniquingKeysWith: { $1 })
    }

    /// Returns the keys of a drill's messages.
    func drillKeys(
        of owner: UserID, for people: [UserID]? = nil
    ) throws -> RowKeys {
        let notifications = try drillNotifications(of: owner)
            .filter { people?.contains($0.key) ?? true }
        return RowKeys(
            ["user_id": .bytea, "notification_id": .bytea],
            notifications.sorted { $0.key < $1.key }.map { [.id($0.key), .id($0.value)] })
    }

    public func calls(ofDrillOf owner: UserID) throws -> [Ladder.Call] {
        try query(
            about: try drillKeys(of: owner),
            {
                """
                SELECT deliveries.user_id, deliveries.id, state, next_try_at, created_at,
                    updated_at, \(Ladder.Step.call.isTold) AS is_told
                FROM deliveries \($0.join)
                WHERE deliveries.user_id = \($0["user_id"])
                    AND deliveries.notification_id = \($0["notification_id"])
                    AND channel = 'voice' AND state IN ('queued', 'sending', 'accepted')
                """
            }
        ) { row in
            let waits = try row["state"] == "queued" && row.isNull("next_try_at")
            return Ladder.Call(
                delivery: try row["id"], person: try row["user_id"],
                state: waits ? .waiting : .underWay(since: try row["updated_at"]),
                createdAt: try row["created_at"], earlierCalls: 0,
                isOnlyWay: try !(row["is_told"] as Bool))
        }
    }
}

extension DrillQuestion {
    static let columns =
        "drill_id, owner_id, name, started_at, ends_at, answered_at, notification_id"

    init(_ row: SQLRow) throws {
        self.init(
            id: try row["drill_id"], ownerID: try row["owner_id"], name: try row["name"],
            startedAt: try row["started_at"], endsAt: try row["ends_at"],
            answeredAt: try row["answered_at"], notificationID: try row["notification_id"])
    }
}
