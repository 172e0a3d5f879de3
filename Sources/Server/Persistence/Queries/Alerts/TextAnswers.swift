import Domain
import Foundation

/// The condition of an SMS that may have left the server. A row that waits for a retry counts only
/// if the provider may have accepted the last attempt.
private let isTexted = """
    attempts > 0 AND state NOT IN ('failed', 'givenUp')
    AND (state <> 'retrying' OR reason IS NULL OR reason IN (\(StoredReason.uncertain)))
    """

/// When an SMS left the server. It may have waited for its turn or for the provider.
private let sentAt = "COALESCE(sent_at, created_at)"

extension SQLConnection {
    /// Returns the people about whose alerts the user got an SMS, with the time of the newest SMS.
    public func textedOwners(of user: UserID) throws -> [(owner: UserID, newest: Date)] {
        try query(
            """
            SELECT alert_user_id, MAX(\(sentAt)) AS newest FROM deliveries
            WHERE user_id = $1 AND channel = 'sms' AND alert_id IS NOT NULL
                AND alert_user_id <> $1 AND \(isTexted)
            GROUP BY alert_user_id ORDER BY alert_user_id
            """, [.id(user)]
        ) { (owner: try $0["alert_user_id"] as UserID, newest: try $0["newest"] as Date) }
    }

    /// Returns the open alerts that the user got an SMS about, the newest SMS first. An alert
    /// without an SMS of its own (`StormRules`) counts with the newest SMS about the same person.
    public func textedAlerts(of user: UserID) throws -> [(alert: AlertRow, newest: Date)] {
        try textedOwners(of: user).flatMap { owner, newest in
            try openAlerts(of: owner).compactMap { open in
                let key = AlertKey(owner: owner, id: open.id)
                guard try alert(key, visibleTo: user) != nil else { return nil }
                return (open, try textTime(about: key, to: user) ?? newest)
            } as [(alert: AlertRow, newest: Date)]
        }.sorted { $0.newest > $1.newest }
    }

    /// Returns the people with an alert that the user was told of by SMS or a call, may see, and
    /// that has ended since a time.
    public func endedAlertOwners(toldTo user: UserID, since time: Date) throws -> [UserID] {
        let told = try query(
            """
            SELECT DISTINCT alert_user_id, alert_id FROM deliveries
            WHERE user_id = $1 AND alert_id IS NOT NULL AND alert_user_id <> $1
                AND (channel = 'voice' AND attempts > 0 OR channel = 'sms' AND \(isTexted))
            ORDER BY alert_user_id, alert_id
            """, [.id(user)]
        ) { row in
            AlertKey(owner: try row["alert_user_id"], id: try row["alert_id"])
        }
        return try told.filter { key in
            try alert(key, visibleTo: user)?.endedAt.map { $0 >= time } == true
        }
        .map(\.owner).reduce(into: [UserID]()) { owners, owner in
            if owners.last != owner { owners.append(owner) }
        }
    }

    /// Returns true if the user got an SMS about an open alert that they haven't refused.
    func hasAlertToAnswer(_ user: UserID) throws -> Bool {
        try textedAlerts(of: user).contains { alert, _ in
            let key = AlertKey(owner: alert.userID, id: alert.id)
            return try !peopleRefusing(key, since: alert.escalationFrom).contains(user)
        }
    }

    /// Returns the time of the newest SMS to the person about an alert; nil if none was sent.
    public func textTime(about alert: AlertKey, to user: UserID) throws -> Date? {
        try value(
            """
            SELECT MAX(\(sentAt)) FROM deliveries
            WHERE user_id = $1 AND alert_user_id = $2 AND alert_id = $3 AND channel = 'sms'
                AND \(isTexted)
            """, [.id(user), .id(alert.owner), .id(alert.id)])
    }

    /// Returns the time of the newest SMS to the person; nil if none was sent.
    public func textTime(to user: UserID) throws -> Date? {
        try value(
            """
            SELECT MAX(\(sentAt)) FROM deliveries
            WHERE user_id = $1 AND channel = 'sms' AND \(isTexted)
            """, [.id(user)])
    }

    public func textTime(of notification: NotificationID, to user: UserID) throws -> Date? {
        try value(
            """
            SELECT MAX(\(sentAt)) FROM deliveries WHERE user_id = $1 AND notification_id = $2
                AND channel = 'sms' AND \(isTexted)
            """, [.id(user), .id(notification)])
    }

    /// Returns the newest last call that went to the person by SMS since a time.
    public func textedLastCall(
        of user: UserID, since time: Date
    ) throws -> (id: DeliveryID, sent: Date)? {
        try first(
            """
            SELECT id, \(sentAt) AS sent FROM deliveries
            WHERE user_id = $1 AND channel = 'sms' AND purpose = 'lastCall' AND \(isTexted)
                AND \(sentAt) >= $2
            ORDER BY \(sentAt) DESC, id LIMIT 1
            """, [.id(user), .date(time)]
        ) { (id: try $0["id"], sent: try $0["sent"]) }
    }

    /// Returns the newest SMS to the person since `time`. Returns nil unless it is a reminder, a
    /// last call, or about an open alert after the person's own missed deadline.
    public func textedDeadline(
        of user: UserID, since time: Date
    ) throws -> (id: DeliveryID, sent: Date)? {
        try newestText(
            to: user, since: time, about: [.reminder, .lastCall], orOwn: .missedCheckIn)
    }

    /// Returns the newest SMS to the person since `time`. Returns nil unless it is a question about
    /// their own journey, or about an open alert because of it.
    public func textedJourney(
        of user: UserID, since time: Date
    ) throws -> (id: DeliveryID, sent: Date)? {
        try newestText(to: user, since: time, about: [.journey], orOwn: .journey)
    }

    /// Returns the newest SMS to the person since `time`. Returns nil unless it is about their own
    /// open manual alert.
    public func textedManualAlert(
        of user: UserID, since time: Date
    ) throws -> (id: DeliveryID, sent: Date)? {
        try newestText(to: user, since: time, about: [], orOwn: .manual)
    }

    /// Returns the newest SMS to the person since `time`. Returns nil unless it has one of these
    /// purposes, or is about the person's own open alert of this kind.
    private func newestText(
        to user: UserID, since time: Date, about purposes: [DeliveryPurpose],
        orOwn kind: AlertKind
    ) throws -> (id: DeliveryID, sent: Date)? {
        // PostgreSQL takes no empty list.
        let list = (purposes.map(\.rawValue) + [""]).literals
        let newest = try first(
            """
            SELECT d.id, \(sentAt) AS sent, d.purpose IN (\(list)) AS is_question,
                EXISTS (SELECT 1 FROM alerts a WHERE a.user_id = $1 AND a.id = d.alert_id
                    AND d.alert_user_id = $1 AND a.kind = '\(kind.rawValue)'
                    AND a.ended_at IS NULL) AS is_own_alert
            FROM deliveries d
            WHERE d.user_id = $1 AND d.channel = 'sms' AND \(isTexted)
                AND \(sentAt) >= $2
            ORDER BY \(sentAt) DESC, d.created_at DESC, d.id DESC LIMIT 1
            """, [.id(user), .date(time)]
        ) { row in
            let isQuestion: Bool = try row["is_question"]
            let isOwnAlert: Bool = try row["is_own_alert"]
            return (
                isMeant: isQuestion || isOwnAlert, id: try row["id"] as DeliveryID,
                sent: try row["sent"] as Date
            )
        }
        return newest.flatMap { $0.isMeant ? (id: $0.id, sent: $0.sent) : nil }
    }

    /// Returns the time of the newest SMS that asked the person to answer an alert or a drill; nil
    /// if none was sent. News of an alert counts since the server asked whether the person is still
    /// helping, until they answer.
    public func textedQuestion(to user: UserID) throws -> Date? {
        let purposes = AlertClaim.needsHelp.purposes + [.drill]
        let asked: Date? = try value(
            """
            SELECT MAX(\(sentAt)) FROM deliveries d
            WHERE d.user_id = $1 AND d.channel = 'sms' AND \(isTexted)
                AND (d.alert_user_id IS NULL OR d.alert_user_id <> $1)
                AND d.purpose IN (\(purposes.literals))
            """, [.id(user)])
        return [asked, try textedHelpQuestion(to: user)].compactMap(\.self).max()
    }

    /// Returns the time of the newest SMS with news of an alert that the person is on, if the
    /// server has asked since then whether they are still helping.
    private func textedHelpQuestion(to user: UserID) throws -> Date? {
        let news = try query(
            """
            SELECT alert_user_id, alert_id, MAX(created_at) AS made, MAX(\(sentAt)) AS sent
            FROM deliveries d
            WHERE d.user_id = $1 AND d.channel = 'sms' AND \(isTexted)
                AND d.alert_user_id <> $1 AND d.purpose = 'alertNews'
            GROUP BY alert_user_id, alert_id
            """, [.id(user)]
        ) { row in
            (
                owner: try row["alert_user_id"] as UserID, alert: try row["alert_id"] as AlertID,
                made: try row["made"] as Date, sent: try row["sent"] as Date
            )
        }
        return try news.filter { news in
            guard let alert = try alert(news.alert, of: news.owner), alert.isOpen,
                alert.acknowledgedBy == user, let askedAt = alert.askedAt
            else { return false }
            return askedAt <= news.made
        }
        .map(\.sent).max()
    }

    /// Returns true if the delivery is a last call by phone.
    public func isLastCall(_ id: DeliveryID, to user: UserID) throws -> Bool {
        try hasRow(
            """
            SELECT 1 FROM deliveries WHERE user_id = $1 AND id = $2 AND channel = 'voice'
                AND purpose = 'lastCall'
            """, [.id(user), .id(id)])
    }

    /// Returns unanswered invitations to a number, by any user. Omits ended ones.
    public func pendingInvitations(
        to number: PhoneNumber
    ) throws -> [(owner: UserID, id: InvitationID, time: Date)] {
        try query(
            """
            SELECT user_id, id, created_at FROM invitations
            WHERE phone_number = $1 AND state = 'pending' AND answered_at IS NULL
            ORDER BY user_id, id
            """, [.text(number.text)]
        ) { (owner: try $0["user_id"], id: try $0["id"], time: try $0["created_at"]) }
    }
}

extension Transaction {
    /// Records that the person answered an SMS, which proves the channel.
    public func proveTexts(to user: UserID) throws {
        try execute(
            """
            INSERT INTO proofs (user_id, channel, proven_at) VALUES ($1, 'sms', $2)
            ON CONFLICT (user_id, channel) DO UPDATE SET proven_at = excluded.proven_at
            """, [.id(user), .date(now)])
        noteReach(of: user)
    }

    /// Records that the person is told how to answer by SMS. Returns false if they were told after
    /// `time`.
    public func noteHelp(to user: UserID, unlessAfter time: Date) throws -> Bool {
        try execute(
            """
            UPDATE users SET sms_help_at = $1
            WHERE id = $2 AND (sms_help_at IS NULL OR sms_help_at <= $3)
            """, [.date(now), .id(user), .date(time)]) > 0
    }

    /// Stops SMS to the person, and calls to a guest. Fails their unsent messages and starts the
    /// next step of the ladder. A message that is being sent fails at its next attempt, if any.
    public func stopTexts(to user: UserRow) throws {
        try execute(
            "UPDATE users SET sms_stopped_at = $1 WHERE id = $2", [.date(now), .id(user.id)])
        noteReach(of: user.id)
        let channels = user.guestSince == nil ? "'sms'" : "'sms', 'voice'"
        try execute(
            """
            UPDATE deliveries SET state = 'failed', reason = $1, next_try_at = NULL,
                updated_at = $2
            WHERE user_id = $3 AND channel IN (\(channels)) AND state IN ('queued', 'retrying')
            """, [.text("\(DeliveryReason.textsStopped)"), .date(now), .id(user.id)])
        try advanceSteps(of: [user.id])
    }

    /// Allows SMS to the person. Returns false if they were allowed already.
    public func startTexts(to user: UserID) throws -> Bool {
        noteReach(of: user)
        return try execute(
            "UPDATE users SET sms_stopped_at = NULL WHERE id = $1 AND sms_stopped_at IS NOT NULL",
            [.id(user)]) > 0
    }
}
