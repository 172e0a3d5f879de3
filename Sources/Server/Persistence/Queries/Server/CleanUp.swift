import Domain
import Foundation

/// The kinds of expired rows. Each kind has an index, so a pass reads only rows that it deletes.
public enum CleanUp: Sendable, CaseIterable {
    case notifications
    case readNotifications
    /// Deliveries that belong to no alert.
    case deliveries
    /// Ended alerts, with their deliveries and the responders' answers.
    case alerts
    case signInCodes
    /// Sessions, with their push endpoints and browser sessions.
    case sessions
    case requestKeys
    case knownDevices
    /// Providers' ids of messages. Without the id, later reports about a message are ignored.
    case providerIDs
    case emailCodes
    case invitationMessages
    case signUpTokens
    case passkeyChallenges
    case invitedSignUps
    case spending
    case userSpending
    /// Ended journeys, with their notes.
    case journeys
    case drills
    case drillAnswers
    /// Guests who aren't anyone's contact.
    case guests

    public struct Retention: Sendable {
        /// How long an alert is kept after its end.
        public var ledger: Duration = .days(365)
        public var notifications = NotificationRules.kept
        public var readNotifications = NotificationRules.keptWhenRead
        public var deliveries: Duration = .days(30)
        public var signInCodes = SignInRules.codeMemory
        public var requestKeys = RequestKeyRules.kept
        public var knownDevices: Duration = .days(400)
        /// How long the server sends nothing more to an address that hasn't answered.
        public var emailCodes: Duration = .days(3_650)
        public var spending: Duration = .days(7)
        /// Longer than the minimum time between drills.
        public var drills: Duration = .days(30)
        /// How long a guest is kept after losing their last contact.
        public var guests: Duration = .days(30)

        public init() {}
    }

    /// Returns the cut-off: rows up to this time are expired.
    func end(_ kept: Retention, at now: Date) -> Date {
        let duration: Duration =
            switch self {
            case .notifications: kept.notifications
            case .readNotifications: kept.readNotifications
            case .deliveries: kept.deliveries
            case .alerts: kept.ledger
            case .signInCodes: kept.signInCodes
            case .sessions: .zero
            case .requestKeys: kept.requestKeys
            case .knownDevices: kept.knownDevices
            case .providerIDs: kept.deliveries
            case .emailCodes, .invitationMessages: kept.emailCodes
            case .signUpTokens: SignUpRules.kept
            case .passkeyChallenges: PasskeyRules.challengeKept
            case .invitedSignUps: SignUpRules.codeWindow
            case .spending, .userSpending: kept.spending
            case .journeys: JourneyRules.noteKept
            case .drills, .drillAnswers: kept.drills
            case .guests: kept.guests
            }
        return now.adding(.zero - duration)
    }

    /// The query for at most `$2` expired rows, up to the time `$1`.
    var selection: String {
        switch self {
        case .notifications:
            "SELECT user_id, id FROM notifications WHERE created_at <= $1 LIMIT $2"
        case .readNotifications:
            """
            SELECT user_id, id FROM notifications WHERE read_at IS NOT NULL AND read_at <= $1
            LIMIT $2
            """
        case .deliveries:
            """
            SELECT user_id, id FROM deliveries WHERE alert_id IS NULL AND created_at <= $1 LIMIT $2
            """
        case .alerts:
            "SELECT user_id, id FROM alerts WHERE ended_at IS NOT NULL AND ended_at <= $1 LIMIT $2"
        case .signInCodes: "SELECT id FROM sign_in_codes WHERE created_at <= $1 LIMIT $2"
        case .sessions: "SELECT user_id, id FROM sessions WHERE refresh_expires_at <= $1 LIMIT $2"
        case .requestKeys: "SELECT user_id, key FROM request_keys WHERE happened_at <= $1 LIMIT $2"
        case .knownDevices:
            "SELECT user_id, key_hash FROM known_devices WHERE last_used_at <= $1 LIMIT $2"
        case .providerIDs:
            """
            SELECT provider_id, user_id, delivery_id FROM provider_ids WHERE created_at <= $1
            LIMIT $2
            """
        case .emailCodes: "SELECT id FROM email_codes WHERE created_at <= $1 LIMIT $2"
        case .invitationMessages:
            "SELECT id FROM invitation_messages WHERE created_at <= $1 LIMIT $2"
        case .signUpTokens: "SELECT id FROM sign_up_tokens WHERE expires_at <= $1 LIMIT $2"
        case .passkeyChallenges:
            "SELECT hash FROM passkey_challenges WHERE expires_at <= $1 LIMIT $2"
        case .invitedSignUps:
            "SELECT user_id, id FROM invited_sign_ups WHERE created_at <= $1 LIMIT $2"
        case .spending:
            "SELECT day, channel FROM spending WHERE day <= $1 LIMIT $2"
        case .userSpending:
            "SELECT user_id, day, channel FROM user_spending WHERE day <= $1 LIMIT $2"
        case .journeys:
            """
            SELECT user_id FROM journeys WHERE ended_at IS NOT NULL AND ended_at <= $1 LIMIT $2
            """
        case .drills: "SELECT user_id FROM drills WHERE started_at <= $1 LIMIT $2"
        case .drillAnswers:
            """
            SELECT user_id, owner_id, person_id FROM drill_answers WHERE started_at <= $1 LIMIT $2
            """
        case .guests:
            """
            SELECT id FROM users WHERE guest_since IS NOT NULL AND guest_alone_since <= $1 LIMIT $2
            """
        }
    }

    /// The statement that deletes the selected rows; nil if other rows have to be deleted too.
    var deletion: String? {
        switch self {
        case .alerts, .sessions, .guests: nil
        case .notifications, .readNotifications: delete(from: "notifications", "user_id, id")
        case .deliveries: delete(from: "deliveries", "user_id, id")
        case .signInCodes: delete(from: "sign_in_codes", "id")
        case .requestKeys: delete(from: "request_keys", "user_id, key")
        case .knownDevices: delete(from: "known_devices", "user_id, key_hash")
        case .providerIDs: delete(from: "provider_ids", "provider_id, user_id, delivery_id")
        case .emailCodes: delete(from: "email_codes", "id")
        case .invitationMessages: delete(from: "invitation_messages", "id")
        case .passkeyChallenges: delete(from: "passkey_challenges", "hash")
        case .signUpTokens: delete(from: "sign_up_tokens", "id")
        case .invitedSignUps: delete(from: "invited_sign_ups", "user_id, id")
        case .spending: delete(from: "spending", "day, channel")
        case .userSpending: delete(from: "user_spending", "user_id, day, channel")
        case .journeys: delete(from: "journeys", "user_id")
        case .drills: delete(from: "drills", "user_id")
        case .drillAnswers: delete(from: "drill_answers", "user_id, owner_id, person_id")
        }
    }

    private func delete(from table: String, _ key: String) -> String {
        "DELETE FROM \(table) WHERE (\(key)) IN (\(selection))"
    }

    /// Deletes at most `$3` deliveries about the alert `$2` of the owner `$1`.
    static let ledgerDeletion = """
        DELETE FROM deliveries WHERE (user_id, id) IN (
            SELECT user_id, id FROM deliveries WHERE alert_user_id = $1 AND alert_id = $2 LIMIT $3)
        """
}

extension Transaction {
    /// Deletes at most `limit` expired rows of one kind, and returns their number. The limit keeps
    /// check-ins from waiting long for the writer.
    public func cleanUp(
        _ kind: CleanUp, keeping kept: CleanUp.Retention = .init(), limit: Int
    ) throws -> Int {
        let bounds: [SQLValue] = [.date(kind.end(kept, at: now)), .int(limit)]
        if let deletion = kind.deletion { return try execute(deletion, bounds) }
        if kind == .guests { return try deleteLoneGuests(kind, bounds, limit: limit) }
        let rows = try query(kind.selection, bounds) {
            (user: try $0["user_id"] as UUID, id: try $0["id"] as UUID)
        }
        guard kind == .alerts else {
            return try deleteExpiredSessions(
                rows.map { Caller(userID: ID($0.user), sessionID: ID($0.id)) })
        }
        var deleted = 0
        for row in rows where deleted < limit {
            let key: [SQLValue] = [.uuid(row.user), .uuid(row.id)]
            let room = limit - deleted
            deleted += try execute(CleanUp.ledgerDeletion, key + [.int(room)])
            // The remaining deliveries are deleted in a later pass, together with the alert.
            guard deleted < limit else { break }
            try execute("DELETE FROM alert_ids WHERE user_id = $1 AND id = $2", key)
            deleted += try execute("DELETE FROM alerts WHERE user_id = $1 AND id = $2", key)
            noteCopyChange(of: UserID(row.user))
        }
        return deleted
    }

    /// Deletes the notes and the chosen responders of at most `limit` ended journeys that `cleanUp`
    /// would delete, and keeps the rows. Returns the number of journeys.
    public func emptyEndedJourneys(
        keeping kept: CleanUp.Retention = .init(), limit: Int
    ) throws -> Int {
        try execute(
            """
            UPDATE journeys SET note = '', only_for = NULL WHERE user_id IN (
                SELECT user_id FROM journeys
                WHERE (note <> '' OR only_for IS NOT NULL)
                    AND ended_at IS NOT NULL AND ended_at <= $1 LIMIT $2)
            """, [.date(CleanUp.journeys.end(kept, at: now)), .int(limit)])
    }

    /// Deletes expired sessions. Locks each person before checking the expiry again, because a
    /// session may be renewed at the same time. Skips people locked by another transaction.
    private func deleteExpiredSessions(_ sessions: [Caller]) throws -> Int {
        let people = Set(sessions.map(\.userID)).sorted { $0.uuid < $1.uuid }
        let free = try tryLock(people)
        return try sessions.count { session in
            guard free.contains(session.userID) else { return false }
            let isExpired = try hasRow(
                """
                SELECT 1 FROM sessions WHERE user_id = $1 AND id = $2 AND refresh_expires_at <= $3
                """,
                [.id(session.userID), .id(session.sessionID), .date(now)])
            return try isExpired && deleteSession(session)
        }
    }
}
