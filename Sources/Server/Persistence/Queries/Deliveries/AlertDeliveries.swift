import Domain
import Foundation

extension SQLConnection {
    public func countAlerts(of owner: UserID, receivedSince time: Date) throws -> Int {
        try count(
            "SELECT COUNT(*) FROM alerts WHERE user_id = $1 AND received_at > $2",
            [.id(owner), .date(time)])
    }

    public func countMessages(
        by channel: DeliveryChannel, about owner: UserID, to recipients: [UserID],
        since time: Date
    ) throws -> [UserID: Int] {
        let counts = try query(
            about: recipients,
            {
                """
                SELECT user_id, COUNT(*) AS number FROM deliveries
                WHERE alert_user_id = $1 AND alert_id IS NOT NULL AND channel = $2
                    AND created_at > $3
                    AND (reason IS NULL OR reason = '\(DeliveryReason.waitingForAnswer)')
                    AND user_id \($0)
                GROUP BY user_id
                """
            }, [.id(owner), .text(channel.rawValue), .date(time)]
        ) { (try $0["user_id"] as UserID, try $0["number"] as Int) }
        return Dictionary(counts, uniquingKeysWith: +)
    }

    /// Returns the last attempted delivery about the subject to a person by a channel.
    public func lastDelivery(
        about subject: LinkSubject, to person: UserID, by channel: DeliveryChannel
    ) throws -> DeliveryID? {
        try value(
            """
            SELECT id FROM deliveries
            WHERE user_id = $1 AND channel = $2 AND attempts > 0 AND \(subject.condition)
            ORDER BY created_at DESC, id LIMIT 1
            """, [.id(person), .text(channel.rawValue)] + subject.values)
    }

    /// Returns when the first attempted delivery about the subject to a person by a channel was
    /// created.
    public func firstDeliveryTime(
        about subject: LinkSubject, to person: UserID, by channel: DeliveryChannel
    ) throws -> Date? {
        try value(
            """
            SELECT created_at FROM deliveries
            WHERE user_id = $1 AND channel = $2 AND attempts > 0 AND \(subject.condition)
            ORDER BY created_at LIMIT 1
            """, [.id(person), .text(channel.rawValue)] + subject.values)
    }

    /// Returns the recipients of SMS about an alert's end that a rate limit holds back.
    public func peopleWithHeldEnds(
        of owner: UserID, among recipients: [UserID]
    ) throws -> Set<UserID> {
        let people = try query(
            about: recipients,
            {
                """
                SELECT user_id FROM deliveries
                WHERE channel = 'sms' AND next_try_at > $1 AND state = 'queued'
                    AND purpose = 'alertEnd' AND alert_user_id = $2 AND user_id \($0)
                """
            }, [.date(now), .id(owner)]
        ) { try $0["user_id"] as UserID }
        return Set(people)
    }

    /// Returns what the last message about the owner's alerts told each endpoint: "needs help", or
    /// something else. Counts only messages that were sent or are being sent. Of two messages with
    /// the same time, the call for help is ignored.
    /// - Parameter time: ignores older messages.
    public func lastClaims(
        about owner: UserID, to recipients: [UserID],
        by channels: Set<DeliveryChannel>, since time: Date = .distantPast
    ) throws -> [DeliveryEndpoint: AlertClaim] {
        try lastMessages(about: owner, to: recipients, by: channels, since: time)
            .mapValues { $0.claim }
    }

    /// Returns the same as `lastClaims`, with the time of each message.
    public func lastMessages(
        about owner: UserID, to recipients: [UserID],
        by channels: Set<DeliveryChannel>, since time: Date = .distantPast
    ) throws -> [DeliveryEndpoint: (claim: AlertClaim, time: Date)] {
        let rows = try query(
            about: recipients,
            {
                """
                SELECT user_id, channel, device_id, purpose, MAX(created_at) AS newest
                FROM deliveries
                WHERE alert_user_id = $1 AND alert_id IS NOT NULL AND created_at >= $2
                    AND channel IN (\(channels.map(\.rawValue).sorted().literals))
                    AND (\(Self.isGoing)) AND user_id \($0)
                GROUP BY user_id, channel, device_id, purpose
                """
            },
            [.id(owner), .date(max(time, Date(milliseconds: 0)))]
        ) { row in
            let endpoint = DeliveryEndpoint(
                userID: try row["user_id"],
                channel: DeliveryChannel(rawValue: try row["channel"]) ?? .unknown,
                pushEndpointID: try row["device_id"])
            let purpose = DeliveryPurpose(rawValue: try row["purpose"]) ?? .other
            let claim = AlertClaim(purpose)
            return (
                endpoint: endpoint, claim: claim,
                order: (try row["newest"] as Date, claim == .needsHelp ? 0 : 1)
            )
        }
        return Dictionary(grouping: rows) { $0.endpoint }.compactMapValues { messages in
            guard let last = messages.max(by: { $0.order < $1.order }), let claim = last.claim
            else { return nil }
            return (claim: claim, time: last.order.0)
        }
    }

    /// The SQL condition for messages that count as sent. A call for help counts unless it is known
    /// to have failed. Other messages count once they may have arrived. Messages held back by a
    /// rate limit, or in reserve, never count.
    private static var isGoing: String {
        """
        CASE WHEN (reason = '\(StormRules.reason)' OR \(Transaction.isReserve)) AND attempts = 0
            THEN 0
            WHEN purpose IN (\(AlertClaim.needsHelp.purposes.literals))
            THEN CASE WHEN state IN ('accepted', 'seen', 'acknowledged') AND attempts > 0 THEN 1
                WHEN superseded = 0 AND state IN ('queued', 'sending', 'retrying') THEN 1
                ELSE 0 END
            WHEN attempts > 0 OR state = 'queued' THEN 1 ELSE 0 END = 1
        """
    }
}

extension Transaction {
    /// Withdraws messages about alerts' ends that a rate limit holds back, because a new alert
    /// began.
    public func withdrawWaitingEnds(
        of owner: UserID, for recipients: [UserID], by channel: DeliveryChannel
    ) throws {
        try execute(
            about: recipients,
            {
                """
                UPDATE deliveries SET state = 'superseded', next_try_at = NULL, updated_at = $1,
                    reason = '\(StormRules.reason)'
                WHERE channel = $2 AND next_try_at > $1 AND state = 'queued'
                    AND purpose = 'alertEnd' AND alert_user_id = $3 AND user_id \($0)
                """
            }, [.date(now), .text(channel.rawValue), .id(owner)])
    }

    /// Supersedes unsent messages about ends of the owners' earlier alerts: "is fine" must not
    /// arrive after a new alert. Keeps SMS that a rate limit holds back, because they decide
    /// whether the new alert needs an SMS. Webhooks report every end, so theirs is retried before
    /// the new alert is sent.
    /// - Parameter recipients: the people who are notified of each owner's new alert.
    /// - Returns: the owners whose earlier end was still unsent.
    public func supersedeEnds(for recipients: [UserID: Set<UserID>]) throws -> Set<UserID> {
        // Usually no end is unsent.
        let affected = try endsUnderway(for: recipients)
        for (owner, people) in affected {
            for statement in Self.superseding {
                try execute(
                    about: people.sorted(),
                    {
                        "\(statement.change) WHERE \(Self.isEnd) AND \(statement.condition) "
                            + "AND alert_user_id = $2 AND user_id \($0)"
                    }, [.date(now), .id(owner)])
            }
        }
        return Set(affected.keys)
    }

    /// The SQL condition for deliveries that wait for an attempt. The channel, which every row has,
    /// makes SQLite search the index of waiting rows instead of reading all rows of a person.
    private static let isWaiting = "next_try_at IS NOT NULL AND channel >= ''"
    private static let isEnd = "\(isWaiting) AND purpose = 'alertEnd'"

    private func endsUnderway(
        for recipients: [UserID: Set<UserID>]
    ) throws -> [UserID: Set<UserID>] {
        var underway: [UserID: Set<UserID>] = [:]
        for owners in eachRun(of: recipients.keys.sorted()) {
            let people = owners.people.reduce(into: Set()) { $0.formUnion(recipients[$1] ?? []) }
            let ends = try query(
                about: people.sorted(),
                {
                    "SELECT user_id, alert_user_id FROM deliveries WHERE \(Self.isEnd) "
                        + "AND alert_user_id \(owners.condition) AND user_id \($0)"
                }, [owners.value]
            ) { (person: try $0["user_id"] as UserID, owner: try $0["alert_user_id"] as UserID) }
            for end in ends where recipients[end.owner]?.contains(end.person) == true {
                underway[end.owner, default: []].insert(end.person)
            }
        }
        return underway
    }

    private static let superseding: [(change: String, condition: String)] = [
        // Also an SMS that is due. As a withdrawn end, it would read as if an SMS had told of the
        // alert.
        ("DELETE FROM deliveries", "created_at <= $1 AND state = 'queued' AND \(isReserve)"),
        (
            """
            UPDATE deliveries SET state = 'superseded', superseded = 1,
                reason = \(StoredReason.ofWithdrawal("'\(StoredReason.newerNews)'")),
                next_try_at = NULL, updated_at = $1
            """,
            """
            channel <> 'webhook' AND (state = 'retrying' OR state = 'queued' AND next_try_at <= $1)
            """
        ),
        (
            """
            UPDATE deliveries SET superseded = 1,
                reason = \(StoredReason.ofWithdrawal("'\(StoredReason.newerNews)'")),
                updated_at = $1
            """,
            "channel <> 'webhook' AND state = 'sending'"
        ),
        (
            "UPDATE deliveries SET next_try_at = $1 - 1",
            "channel = 'webhook' AND state = 'retrying' AND next_try_at >= $1"
        ),
    ]

    /// Supersedes a user's unsent reminders after a check-in.
    public func supersedeReminders(of user: UserID) throws {
        try supersedeReminders(ofCheckedIn: [user])
    }

    public func supersedeReminders(ofCheckedIn users: [UserID]) throws {
        try supersedeReminders(of: users, reason: StoredReason.checkedIn)
    }

    /// Supersedes unsent reminders of missed deadlines, whose text says that there is time left.
    public func supersedeReminders(ofMissed users: [UserID]) throws {
        try supersedeReminders(of: users, reason: "\(DeliveryReason.tooLate)")
    }

    /// Supersedes unsent reminders, because a newer reminder or a last call follows: less time is
    /// left. The message of a last call stays.
    public func supersedeReminders(ofRemindedAgain users: [UserID]) throws {
        try supersedeReminders(of: users, purposes: [.reminder], reason: StoredReason.newerNews)
    }

    /// Supersedes unsent reminders. An attempt in progress is not retried.
    func supersedeReminders(
        of users: [UserID], purposes: [DeliveryPurpose] = [.reminder, .lastCall], reason: String
    ) throws {
        try execute(
            about: users,
            {
                """
                \(Self.withdrawal)
                WHERE \(Self.isWaiting) AND purpose IN (\(purposes.literals))
                    AND state IN ('queued', 'retrying', 'sending') AND user_id \($0)
                """
            }, [.text(reason), .date(now)])
    }

    /// Supersedes the alert's unsent messages, because newer messages follow.
    /// - Parameter recipients: nil for everyone.
    public func supersede(_ alert: AlertRow, for recipients: [UserID]? = nil) throws {
        try supersedeDeliveries(
            ofAlert: alert.id, owner: alert.userID, recipients: recipients,
            reason: StoredReason.newerNews)
    }

    /// Supersedes the alert's unsent repeats, because a newer alarm follows.
    public func supersedeRepeats(of alert: AlertRow, for recipients: [UserID]) throws {
        try supersedeDeliveries(
            ofAlert: alert.id, owner: alert.userID, recipients: recipients,
            purposes: [.alertRepeat], reason: StoredReason.newerNews)
    }

    /// Withdraws unsent news of responders' answers that were undone. Calls for help and news of
    /// the person in need (`isOfJourney`) stay.
    /// - Parameter news: nil for all news.
    public func supersedeNews(
        about alert: AlertRow, for recipients: [UserID], of news: StoredNews? = nil
    ) throws {
        if news == nil { try deleteHeldNews(about: alert, for: recipients) }
        try supersedeDeliveries(
            ofAlert: alert.id, owner: alert.userID, recipients: recipients,
            purposes: [.alertNews, .alertUntaken], news: news,
            condition: "NOT \(Self.isOfJourney)", reason: StoredReason.newerNews)
    }

    /// Supersedes unsent news without an alert, because newer news replaces it. An attempt in
    /// progress is not retried. Streams carry every change.
    /// - Parameter person: the person that the news is about; nil for the recipients' own news.
    public func supersedeNews(
        _ news: StoredNews, about person: UserID?, to recipients: [UserID]
    ) throws {
        let subject = person.map { [SQLValue.id($0)] } ?? []
        let about = person == nil ? "IS NULL" : "= $3"
        let condition = news.condition(from: 3 + subject.count)
        try execute(
            about: recipients,
            {
                """
                \(Self.withdrawal)
                WHERE \(Self.isWaiting) AND alert_id IS NULL AND channel <> 'stream'
                    AND state IN ('queued', 'retrying', 'sending')
                    AND EXISTS (SELECT 1 FROM notifications n
                        WHERE n.user_id = deliveries.user_id
                            AND n.id = deliveries.notification_id
                            AND n.about_user_id \(about) AND \(condition.sql))
                    AND user_id \($0)
                """
            }, [.text(StoredReason.newerNews), .date(now)] + subject + condition.values)
    }

    /// Returns the people among `people` for whom this news about the person waits to be sent.
    public func recipients(
        ofUnsent news: StoredNews, about person: UserID, among people: [UserID]
    ) throws -> Set<UserID> {
        let condition = news.condition(from: 2)
        let found = try query(
            about: people,
            {
                """
                SELECT user_id FROM deliveries
                WHERE \(Self.isWaiting) AND alert_id IS NULL AND channel <> 'stream'
                    AND superseded = 0 AND state IN ('queued', 'retrying', 'sending')
                    AND EXISTS (SELECT 1 FROM notifications n
                        WHERE n.user_id = deliveries.user_id
                            AND n.id = deliveries.notification_id
                            AND n.about_user_id = $1 AND \(condition.sql))
                    AND user_id \($0)
                """
            }, [.id(person)] + condition.values
        ) { try $0["user_id"] as UserID }
        return Set(found)
    }

    /// The SQL condition for a journey's news in its alert, such as a later return that has passed.
    /// All other news of an alert has the type `alert`.
    private static let isOfJourney = """
        EXISTS (SELECT 1 FROM notifications n
            WHERE n.user_id = deliveries.user_id AND n.id = deliveries.notification_id
                AND n.type IN (\(NotificationType.storedNames(of: [.system]))))
        """

    /// Deletes the alert's news that a rate limit holds back, because newer news replaces it.
    /// - Parameter ofJourney: true for news of the person's journey, false for all other news.
    public func deleteHeldNews(
        about alert: AlertRow, for recipients: [UserID], ofJourney: Bool = false
    ) throws {
        try execute(
            about: recipients,
            {
                """
                DELETE FROM deliveries WHERE \(Self.isHeld) AND alert_user_id = $1
                    AND alert_id = $2 AND \(ofJourney ? "" : "NOT ")\(Self.isOfJourney)
                    AND user_id \($0)
                """
            }, [.id(alert.userID), .id(alert.id)])
    }

    /// Deletes news without an alert that a rate limit holds back, even after its recipient has
    /// deleted its notification.
    /// - Parameters:
    ///   - title: nil for any title.
    ///   - person: the person that the news is about.
    public func deleteHeldNews(
        _ types: [NotificationType], titled title: String?, about person: UserID?,
        to recipients: [UserID]
    ) throws {
        var values: [SQLValue] = []
        var condition = "n.type IN (\(NotificationType.storedNames(of: types)))"
        for (column, value) in [
            ("about_user_id", person.map { .id($0) }), ("title", title.map { .text($0) }),
        ] as [(String, SQLValue?)] {
            if let value {
                values.append(value)
                condition += " AND n.\(column) = $\(values.count)"
            } else if column == "about_user_id" {
                condition += " AND n.about_user_id IS NULL"
            }
        }
        try deleteHeldNews(condition, values, to: recipients)
    }

    func deleteHeldNews(about ping: PingRecord) throws {
        try deleteHeldNews(
            "n.ping_id = $1", [.id(ping.id)], to: [ping.responderID, ping.dependentID].sorted())
    }

    /// Withdraws unsent news about a person whose relation to the recipients ends, so that none
    /// follows the goodbye. News of contacts stays before its first attempt, because it is sent
    /// before the goodbye, and by SMS, which only urgent news uses.
    public func withdrawNews(about person: UserID, to recipients: [UserID]) throws {
        try deleteHeldNews("n.about_user_id = $1", [.id(person)], to: recipients)
        let ofContacts = NotificationType.storedNames(of: NewsRules.subject(of: .contactAdded))
        let purposes: [DeliveryPurpose] = [.other, .ping]
        try execute(
            about: recipients,
            {
                """
                \(Self.withdrawal)
                WHERE \(Self.isWaiting) AND alert_id IS NULL AND channel <> 'stream'
                    AND purpose IN (\(purposes.literals))
                    AND state IN ('queued', 'retrying', 'sending')
                    AND EXISTS (SELECT 1 FROM notifications n
                        WHERE n.user_id = deliveries.user_id
                            AND n.id = deliveries.notification_id AND n.about_user_id = $3
                            AND (n.type NOT IN (\(ofContacts))
                                OR deliveries.state <> 'queued' AND deliveries.channel <> 'sms'))
                    AND user_id \($0)
                """
            }, [.text(StoredReason.newerNews), .date(now), .id(person)])
    }

    private func deleteHeldNews(
        _ condition: String, _ values: [SQLValue], to recipients: [UserID]
    ) throws {
        try execute(
            about: recipients,
            {
                """
                DELETE FROM deliveries WHERE \(Self.isHeld) AND alert_id IS NULL
                    AND EXISTS (SELECT 1 FROM notifications n
                        WHERE n.user_id = deliveries.user_id
                            AND n.id = deliveries.notification_id AND \(condition))
                    AND user_id \($0)
                """
            }, values)
    }

    /// The SQL condition for news that a rate limit holds back. Messages about ends have another
    /// reason.
    private static let isHeld =
        "next_try_at IS NOT NULL AND state = 'queued' AND reason = '\(StormRules.reason)'"
}

/// How a person was notified of an alert, besides an open page's event stream.
public struct AlertReach: Sendable, Equatable {
    /// True if an SMS or a call was sent. Also true if a rate limit skipped the SMS, because the
    /// last one is still correct.
    public var bySMS: Bool
    /// True if a push service, a webhook or a mail server accepted a message.
    public var byPush: Bool

    public init(bySMS: Bool, byPush: Bool = false) {
        self.bySMS = bySMS
        self.byPush = byPush
    }

    /// How the message about the end uses SMS.
    public enum EndText: CaseIterable, Sendable {
        case sent
        /// Sent only if the push or e-mail about the end fails.
        case inReserve
        case none
    }

    public var endText: EndText { bySMS ? .sent : byPush ? .inReserve : .none }
}

extension StormRules {
    /// The reason in `deliveries` for a message that a rate limit holds back or skips.
    public static let reason = "storm"
}

/// What the link in a message is about.
public enum LinkSubject: Sendable {
    case alert(AlertKey)
    case drill(NotificationID)

    /// The SQL condition for its deliveries. Its parameters begin with the third.
    fileprivate var condition: String {
        switch self {
        case .alert: "alert_user_id = $3 AND alert_id = $4"
        case .drill: "notification_id = $3"
        }
    }

    fileprivate var values: [SQLValue] {
        switch self {
        case .alert(let alert): [.id(alert.owner), .id(alert.id)]
        case .drill(let notification): [.id(notification)]
        }
    }
}
