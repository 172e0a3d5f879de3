import Domain
import Foundation

/// A position in a list of people that an administrator reads.
public struct AdminCursor: Sendable, Equatable {
    /// A phone number or an entry of the index of names, as UTF-8.
    public var key: Data
    public var user: UserID

    public init(key: Data, user: UserID) {
        self.key = key
        self.user = user
    }
}

/// Queries for `lifesignal admin`. No query returns a note or a history.
extension SQLConnection {
    /// Returns a page of the people whose number begins like this, in the order of the numbers.
    public func people(
        withNumber beginning: String, after cursor: AdminCursor?, limit: Int
    ) throws -> [AdminCursor] {
        // No number is longer than 16 characters, so the nines follow all numbers that begin alike,
        // in the order of each language.
        try query(
            """
            SELECT phone_number, user_id FROM phone_numbers
            WHERE phone_number >= $1 AND phone_number <= $2 AND phone_number > $3
            ORDER BY phone_number LIMIT $4
            """,
            [
                .text(beginning), .text(beginning + String(repeating: "9", count: 20)),
                .text(cursor.map { String(decoding: $0.key, as: UTF8.self) } ?? ""), .int(limit),
            ]
        ) {
            AdminCursor(
                key: Data((try $0["phone_number"] as String).utf8), user: try $0["user_id"])
        }
    }

    /// Returns a page of the people with an entry that begins like this, in the order of entries.
    public func people(
        named beginning: Data, after cursor: AdminCursor?, limit: Int
    ) throws -> [AdminCursor] {
        let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        return try query(
            """
            SELECT entry, user_id FROM name_entries
            WHERE (entry, user_id) > ($1, $2) AND entry < $3 ORDER BY entry, user_id LIMIT $4
            """,
            [
                .blob(cursor?.key ?? beginning), .uuid(cursor?.user.uuid ?? zero),
                // This byte occurs nowhere in UTF-8 and is higher than the others.
                .blob(beginning + [0xFF]), .int(limit),
            ]
        ) { AdminCursor(key: try $0["entry"], user: try $0["user_id"]) }
    }

    /// Returns what an administrator sees of these people, without guests, in the given order.
    /// - Parameter supported: the channels of apps, e-mail, SMS and calls that the server supports.
    ///   An app's endpoint stays stored when the operator removes its push service.
    public func adminPeople(
        _ people: [UserID], by supported: Set<DeliveryChannel>
    ) throws -> [AdminPerson] {
        let users = try self.users(people)
        let channels = try workingChannels(of: people, by: supported)
        let schedules = Dictionary(
            try query(
                about: people,
                { "SELECT user_id, \(scheduleColumns) FROM schedules WHERE user_id \($0)" }
            ) { (try $0["user_id"] as UserID, try CheckInSchedule($0)) },
            uniquingKeysWith: { first, _ in first })
        let manual = try openAlerts(.manual, of: people)
        let journeys = try openAlerts(.journey, of: people)
        let missed = try openAlerts(.missedCheckIn, of: people)
        return people.compactMap { id -> AdminPerson? in
            guard let user = users[id], user.guestSince == nil, let number = user.phoneNumber,
                let schedule = schedules[id]
            else { return nil }
            return AdminPerson(
                id: id, name: user.name, phoneNumber: number,
                status: UserStatus(
                    hasOpenManualAlert: manual[id] != nil || journeys[id] != nil,
                    hasOpenMissedAlert: missed[id] != nil, deadline: schedule.deadline, at: now),
                lastCheckIn: schedule.lastCheckIn, deadline: schedule.deadline,
                channels: channels[id] ?? [], createdAt: user.createdAt, lockedAt: user.lockedAt)
        }
    }

    private func workingChannels(
        of people: [UserID], by supported: Set<DeliveryChannel>
    ) throws -> [UserID: [DeliveryChannel]] {
        let rows = try query(
            about: people,
            {
                """
                SELECT user_id, 'webhook' AS channel FROM devices
                WHERE failing_since IS NULL AND user_id \($0)
                UNION
                SELECT user_id, 'webPush' FROM push_subscriptions
                WHERE failing_since IS NULL AND user_id \($0)
                UNION
                SELECT user_id, kind FROM app_endpoints
                WHERE failing_since IS NULL AND user_id \($0)
                UNION
                SELECT user_id, 'email' FROM email_addresses
                WHERE address IS NOT NULL AND failing_since IS NULL AND user_id \($0)
                UNION
                SELECT id, 'sms' FROM users WHERE sms_stopped_at IS NULL AND id \($0)
                """
            }
        ) { (user: try $0["user_id"] as UserID, name: try $0["channel"] as String) }
        var channels: [UserID: [DeliveryChannel]] = [:]
        for row in rows {
            guard let channel = DeliveryChannel(rawValue: row.name) else { continue }
            guard [.webhook, .webPush].contains(channel) || supported.contains(channel) else {
                continue
            }
            channels[row.user, default: []].append(channel)
        }
        // STOP ends no calls to people with an account.
        if supported.contains(.voice) {
            for person in people { channels[person, default: []].append(.voice) }
        }
        return channels.mapValues { $0.sorted { $0.rawValue < $1.rawValue } }
    }

    /// Counts people without a working channel, including guests. Slow: reads all people.
    /// - Parameter supported: see `adminPeople`.
    public func countPeopleWithoutChannel(by supported: Set<DeliveryChannel>) throws -> Int {
        let apps = [DeliveryChannel.apns, .fcm].filter(supported.contains)
        var conditions = ["devices", "push_subscriptions"].map {
            """
            NOT EXISTS (
                SELECT 1 FROM \($0) WHERE user_id = users.id AND failing_since IS NULL)
            """
        }
        if !apps.isEmpty {
            conditions.append(
                """
                NOT EXISTS (
                    SELECT 1 FROM app_endpoints WHERE user_id = users.id
                    AND kind IN (\(apps.literals)) AND failing_since IS NULL)
                """)
        }
        if supported.contains(.sms) { conditions.insert("sms_stopped_at IS NOT NULL", at: 0) }
        if supported.contains(.email) {
            conditions.append(
                """
                NOT EXISTS (
                    SELECT 1 FROM email_addresses WHERE user_id = users.id
                    AND address IS NOT NULL AND failing_since IS NULL)
                """)
        }
        return try count(
            "SELECT COUNT(*) FROM users WHERE \(conditions.joined(separator: " AND "))", [])
    }

    public func sessionCount(of user: UserID) throws -> Int {
        try count("SELECT COUNT(*) FROM sessions WHERE user_id = $1", [.id(user)])
    }

    // MARK: What is stuck

    /// Returns open alerts that are older than `time`, without a delivered message to a present
    /// responder or to a person who is asked to become one. The messages of former responders
    /// don't count: they no longer see the alert.
    public func unheardAlerts(olderThan time: Date, limit: Int) throws -> [AdminStuck.Alert] {
        var found: [AdminStuck.Alert] = []
        let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        var last = (owner: UserID(zero), id: AlertID(zero))
        while found.count < limit {
            let page = try query(
                """
                SELECT user_id, id, kind, received_at FROM alerts
                WHERE ended_at IS NULL AND (user_id, id) > ($1, $2) ORDER BY user_id, id LIMIT 500
                """, [.id(last.owner), .id(last.id)]
            ) {
                AdminStuck.Alert(
                    id: try $0["id"], owner: try $0["user_id"],
                    kind: AlertKind(rawValue: try $0["kind"]) ?? .fallback,
                    startedAt: try $0["received_at"])
            }
            for alert in page where alert.startedAt <= time && found.count < limit {
                let told = try responders(of: alert.owner).map(\.id)
                let hearers = try query(
                    about: told,
                    {
                        """
                        SELECT user_id FROM deliveries
                        WHERE alert_user_id = $1 AND alert_id = $2 AND channel <> 'console'
                            AND state IN ('accepted', 'received', 'seen', 'acknowledged')
                            AND user_id \($0)
                        LIMIT 1
                        """
                    }, [.id(alert.owner), .id(alert.id)]
                ) { try $0["user_id"] as UserID }
                if hearers.isEmpty { found.append(alert) }
            }
            guard page.count == 500, let end = page.last else { break }
            last = (owner: end.owner, id: end.id)
        }
        return found
    }

    /// Returns people with a deadline, in the order of their ids.
    public func peopleWithDeadline(after user: UserID?, limit: Int) throws -> [UserID] {
        try values(
            """
            SELECT user_id FROM schedules WHERE user_id > $1 AND next_due_at IS NOT NULL
            ORDER BY user_id LIMIT $2
            """, [user.map { .id($0) } ?? .blob(Data()), .int(limit)])
    }

    public func failingEndpoints(limit: Int) throws -> [AdminStuck.Endpoint] {
        let tables = [
            ("devices", "'webhook'"), ("push_subscriptions", "'webPush'"),
            ("app_endpoints", "kind"), ("email_addresses", "'email'"),
        ]
        let all = try tables.flatMap { table, channel in
            try query(
                """
                SELECT user_id, \(channel) AS channel, failing_since FROM \(table)
                WHERE failing_since IS NOT NULL ORDER BY failing_since LIMIT $1
                """, [.int(limit)]
            ) {
                AdminStuck.Endpoint(
                    owner: try $0["user_id"],
                    channel: DeliveryChannel(rawValue: try $0["channel"]) ?? .unknown,
                    failingSince: try $0["failing_since"])
            }
        }
        return Array(all.sorted { $0.failingSince < $1.failingSince }.prefix(limit))
    }

    /// Returns the channels with messages that were due before `time`.
    public func lateQueues(dueBefore time: Date) throws -> [AdminStuck.Queue] {
        try DeliveryChannel.allCases.compactMap { channel -> AdminStuck.Queue? in
            let queue = try first(
                """
                SELECT COUNT(*) AS number, MIN(next_try_at) AS oldest FROM deliveries
                WHERE next_try_at IS NOT NULL AND channel = $1 AND next_try_at <= $2
                """, [.text(channel.rawValue), .date(time)]
            ) { (number: try $0["number"] as Int, oldest: try $0["oldest"] as Date?) }
            guard let queue, let oldest = queue.oldest else { return nil }
            return AdminStuck.Queue(
                channel: channel, waiting: queue.number, oldestDue: oldest)
        }
    }

    /// Returns the states of a message's deliveries to endpoints.
    public func pushStates(
        of notification: NotificationID, to user: UserID
    ) throws -> [(channel: DeliveryChannel, state: DeliveryState, reason: String?)] {
        try query(
            """
            SELECT channel, state, reason FROM deliveries
            WHERE user_id = $1 AND notification_id = $2 AND device_id IS NOT NULL ORDER BY id
            """, [.id(user), .id(notification)]
        ) {
            (
                channel: DeliveryChannel(rawValue: try $0["channel"]) ?? .unknown,
                state: DeliveryState(rawValue: try $0["state"]) ?? .unknown,
                reason: try $0["reason"] as String?
            )
        }
    }

    // MARK: The log

    /// Returns the newest acts first.
    /// - Parameter user: nil for the acts about everyone.
    public func adminActs(about user: UserID?, limit: Int) throws -> [AdminLogEntry] {
        let person: [SQLValue] = user.map { [SQLValue.id($0)] } ?? []
        return try query(
            """
            SELECT id, done_at, kind, user_id, reason, done_by FROM admin_acts
            \(user == nil ? "" : "WHERE user_id = $1")
            ORDER BY done_at DESC, id DESC LIMIT $\(person.count + 1)
            """, person + [.int(limit)]
        ) {
            AdminLogEntry(
                act: AdminAct(
                    id: try $0["id"], time: try $0["done_at"],
                    kind: AdminAct.Kind(rawValue: try $0["kind"]) ?? .unknown,
                    reason: try $0["reason"], doneBy: try $0["done_by"]),
                person: try $0["user_id"])
        }
    }
}

extension Transaction {
    /// Appends to the log. No statement changes an entry, except that the deletion of an account
    /// removes the person from it.
    public func insert(_ entry: AdminLogEntry) throws {
        try execute(
            """
            INSERT INTO admin_acts (id, done_at, kind, user_id, reason, done_by)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [
                .id(entry.act.id), .date(entry.act.time), .text(entry.act.kind.rawValue),
                .id(entry.person), .text(entry.act.reason), .text(entry.act.doneBy),
            ])
    }

    public func lock(_ user: UserID, at time: Date?) throws {
        try execute("UPDATE users SET locked_at = $1 WHERE id = $2", [.date(time), .id(user)])
    }

    /// Replaces the entries of a name in the index.
    func updateNameEntries(from old: String, to new: String, of user: UserID) throws {
        let (before, after) = (NameSearch.entries(of: old), NameSearch.entries(of: new))
        for entry in before.subtracting(after) {
            try execute(
                "DELETE FROM name_entries WHERE entry = $1 AND user_id = $2",
                [.blob(entry), .id(user)])
        }
        for entry in after.subtracting(before) {
            try execute(
                """
                INSERT INTO name_entries (entry, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING
                """, [.blob(entry), .id(user)])
        }
    }
}
