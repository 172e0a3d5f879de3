import Domain
import Foundation

/// A person who is asked to answer a new drill.
public struct NewDrillAnswer: Sendable {
    public var person: UserID
    public var name: String
    public var notification: NotificationID?

    public init(person: UserID, name: String, notification: NotificationID?) {
        self.person = person
        self.name = name
        self.notification = notification
    }
}

extension Transaction {
    /// Inserts a drill, which replaces the owner's last one.
    /// - Parameter people: the people to ask, in calling order.
    public func insert(
        _ drill: DrillRecord, of owner: UserID, named name: String, _ people: [NewDrillAnswer],
        nextDue: Date
    ) throws {
        let before: [UserID] = try values(
            "SELECT person_id FROM drill_answers WHERE user_id = $1 AND owner_id = $1",
            [.id(owner)])
        for list in ([owner] + before).lists(from: 2) {
            try execute(
                "DELETE FROM drill_answers WHERE owner_id = $1 AND user_id IN (\(list.sql))",
                [.id(owner)] + list.values)
        }
        try execute("DELETE FROM drills WHERE user_id = $1", [.id(owner)])
        try execute(
            """
            INSERT INTO drills (user_id, id, started_at, ends_at, next_due_at)
            VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .id(owner), .id(drill.id), .date(drill.startedAt), .date(drill.endsAt),
                .date(nextDue),
            ])
        try insert(
            into: "drill_answers",
            [
                "user_id", "owner_id", "person_id", "drill_id", "name", "place",
                "notification_id", "started_at", "ends_at",
            ],
            people.enumerated().flatMap { place, person in
                [(owner, person.name), (person.person, name)].map { user, shown in
                    [
                        .id(user), .id(owner), .id(person.person), .id(drill.id), .text(shown),
                        .int(place), .id(person.notification), .date(drill.startedAt),
                        .date(drill.endsAt),
                    ]
                }
            })
        wakeDeadlineMonitor(at: nextDue)
    }

    public func saveNextDue(ofDrillOf owner: UserID, _ time: Date) throws {
        try execute(
            "UPDATE drills SET next_due_at = $1 WHERE user_id = $2 AND ended_at IS NULL",
            [.date(time), .id(owner)])
        wakeDeadlineMonitor(at: time)
    }

    /// Records that a person answered "Got it."
    public func enterAnswer(
        of person: UserID, toDrillOf owner: UserID, by channel: DeliveryChannel
    ) throws {
        for user in [owner, person] {
            try execute(
                """
                UPDATE drill_answers SET answered_at = $1, channel = $2
                WHERE user_id = $3 AND owner_id = $4 AND person_id = $5 AND answered_at IS NULL
                """,
                [.date(now), .text(channel.rawValue), .id(user), .id(owner), .id(person)])
        }
    }

    /// Withdraws the drill's unsent messages.
    /// - Parameter people: nil for everyone.
    public func withdrawDrill(
        of owner: UserID, for people: [UserID]? = nil, onlyCalls: Bool = false,
        reason: DeliveryReason
    ) throws {
        try update(
            about: try drillKeys(of: owner, for: people),
            {
                """
                \(Self.withdrawal) \($0.from)
                WHERE deliveries.user_id = \($0["user_id"])
                    AND deliveries.notification_id = \($0["notification_id"])
                    AND state IN ('queued', 'sending', 'retrying')
                    AND channel \(onlyCalls ? "= 'voice'" : "<> 'stream'")
                """
            }, [.text("\(reason)"), .date(now)])
    }

    public func endDrill(of owner: UserID, _ end: DrillRecord.End) throws {
        try execute(
            """
            UPDATE drills SET ended_at = $1, end_reason = $2, next_due_at = NULL
            WHERE user_id = $3 AND ended_at IS NULL
            """, [.date(now), .text(end.rawValue), .id(owner)])
        let people: [UserID] = try values(
            "SELECT person_id FROM drill_answers WHERE user_id = $1 AND owner_id = $1",
            [.id(owner)])
        for list in ([owner] + people).lists(from: 3) {
            try execute(
                """
                UPDATE drill_answers SET ends_at = $1
                WHERE owner_id = $2 AND user_id IN (\(list.sql))
                """, [.date(now), .id(owner)] + list.values)
        }
    }

    /// Deletes the answer of a person who stopped being a responder of the owner.
    public func deleteDrillAnswer(of person: UserID, toDrillOf owner: UserID) throws {
        for user in [owner, person] {
            try execute(
                """
                DELETE FROM drill_answers
                WHERE user_id = $1 AND owner_id = $2 AND person_id = $3
                """, [.id(user), .id(owner), .id(person)])
        }
    }

    /// Makes the next decision due now for drills that can reach one of these people only by a
    /// call.
    func hurryDrills(thatCall people: [UserID]) throws {
        let owners: [UserID] = try query(
            about: people.sorted(),
            {
                """
                SELECT drill_answers.owner_id FROM deliveries
                JOIN drill_answers ON drill_answers.user_id = deliveries.user_id
                    AND drill_answers.person_id = deliveries.user_id
                    AND drill_answers.notification_id = deliveries.notification_id
                WHERE deliveries.state = 'queued' AND deliveries.next_try_at IS NULL
                    AND deliveries.channel = 'voice' AND deliveries.purpose = 'drill'
                    AND NOT \(Ladder.Step.call.isTold) AND deliveries.user_id \($0)
                """
            }
        ) { try $0["owner_id"] }
        for owner in Set(owners).sorted() { try hurryDrill(of: owner) }
    }

    /// Makes the drill's next decision due now. Does nothing if another transaction has locked the
    /// owner.
    public func hurryDrill(of owner: UserID) throws {
        guard try !tryLock([owner]).isEmpty else { return }
        let changed = try execute(
            "UPDATE drills SET next_due_at = $1 WHERE next_due_at > $1 AND user_id = $2",
            [.date(now), .id(owner)])
        if changed > 0 { wakeDeadlineMonitor(at: now) }
    }
}
