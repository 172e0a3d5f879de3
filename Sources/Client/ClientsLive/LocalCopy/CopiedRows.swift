import Domain
import Foundation
import GRDB

/// The error for a row that this version can't read. The local copy lacks the row until the next
/// load.
private func unreadable(_ what: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "a \(what) of the copy can't be read"))
}

extension Row {
    fileprivate func date(_ column: String) -> Date? {
        let milliseconds: Int64? = self[column]
        return milliseconds.map { Date(milliseconds: $0) }
    }

    fileprivate func id<Tag>(_ column: String) -> ID<Tag>? {
        let uuid: UUID? = self[column]
        return uuid.map { ID($0) }
    }
}

extension ContactData {
    static let selection = """
        SELECT id, name, phone_number, picture_url, is_responder, is_dependent, date_added,
        has_pending_ping, pinged_at,
            emergency_note, last_check_in_at, next_check_in_at, interval_seconds, status, requests,
            plan, paused_until, journey, position, time_zone
        FROM contacts ORDER BY date_added DESC, id
        """

    init(copied row: Row) throws {
        guard let id: UserID = row.id("id"), let added = row.date("date_added") else {
            throw unreadable("contact")
        }
        let (picture, note, interval, status): (String?, String?, Int?, String?) = (
            row["picture_url"], row["emergency_note"], row["interval_seconds"], row["status"]
        )
        var watch: WatchedState?
        if let note, let interval {
            let status = status.flatMap(UserStatus.init) ?? .fallback
            watch = WatchedState(
                emergencyNote: note, lastCheckInTime: row.date("last_check_in_at"),
                nextCheckInTime: row.date("next_check_in_at"), checkInIntervalSeconds: interval,
                status: status, timeZone: row["time_zone"], plan: try Self.plan(row["plan"]),
                pausedUntil: row.date("paused_until"))
            watch?.journey = try Self.journey(row["journey"])
        }
        // The column is NOT NULL, so a missing number is stored as an empty text.
        let number: String = row["phone_number"]
        let requests: String = row["requests"]
        self.init(
            id: id, name: row["name"], phoneNumber: try? PhoneNumber(number),
            profilePictureURL: picture.flatMap { URL(string: $0) },
            roles: .shown(isResponder: row["is_responder"], isDependent: row["is_dependent"]),
            dateAdded: added, hasPendingPing: row["has_pending_ping"],
            pingedAt: row.date("pinged_at"), watch: watch,
            requests: try WireJSON.tolerantDecoder()
                .decode(GrowingList<RoleRequest>.self, from: Data(requests.utf8)).wrappedValue)
        position = row["position"]
    }

    func copy(to database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO contacts (id, name, phone_number, picture_url, is_responder,
                is_dependent, date_added, has_pending_ping,
                    pinged_at, emergency_note, last_check_in_at, next_check_in_at, interval_seconds,
                    status, requests, plan, paused_until, journey, position, time_zone)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id.uuid, name, phoneNumber?.text ?? "", profilePictureURL?.absoluteString,
                isResponder, isDependent, dateAdded.milliseconds, hasPendingPing,
                pingedAt?.milliseconds, watch?.emergencyNote, watch?.lastCheckInTime?.milliseconds,
                watch?.nextCheckInTime?.milliseconds,
                watch?.checkInIntervalSeconds, watch?.status.rawValue,
                String(decoding: try WireJSON.encoder().encode(requests), as: UTF8.self),
                try watch?.plan.map {
                    String(decoding: try WireJSON.encoder().encode($0), as: UTF8.self)
                }, watch?.pausedUntil?.milliseconds,
                try watch?.journey.map {
                    String(decoding: try WireJSON.encoder().encode($0), as: UTF8.self)
                }, position, watch?.timeZone,
            ])
    }

    private static func plan(_ text: String?) throws -> CheckInPlan {
        try text.map {
            try WireJSON.tolerantDecoder().decode(CheckInPlan.self, from: Data($0.utf8))
        } ?? .interval
    }

    private static func journey(_ text: String?) throws -> WatchedJourney? {
        try text.map {
            try WireJSON.tolerantDecoder().decode(WatchedJourney.self, from: Data($0.utf8))
        }
    }
}

extension PingRecord {
    static let selection =
        """
        SELECT id, responder_id, dependent_id, created_at, state, settled_at FROM pings
        ORDER BY created_at DESC, id DESC
        """

    init(copied row: Row) throws {
        guard let id: PingID = row.id("id"), let responder: UserID = row.id("responder_id"),
            let dependent: UserID = row.id("dependent_id"), let created = row.date("created_at"),
            let text: String = row["state"]
        else { throw unreadable("ping") }
        let state = State(rawValue: text) ?? .fallback
        self.init(
            id: id, responderID: responder, dependentID: dependent, createdAt: created,
            state: state, settledAt: row.date("settled_at"))
    }

    func copy(to database: Database) throws {
        try database.execute(
            sql:
                """
                INSERT OR REPLACE INTO pings (id, responder_id, dependent_id, created_at, state,
                settled_at) VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id.uuid, responderID.uuid, dependentID.uuid, createdAt.milliseconds, state.rawValue,
                settledAt?.milliseconds,
            ])
    }
}

extension CheckInRecord {
    static let selection =
        """
        SELECT id, occurred_at, received_at, deadline_at, opens_at, source FROM check_ins
        ORDER BY occurred_at DESC, id DESC
        """

    init(copied row: Row) throws {
        guard let id: CheckInID = row.id("id"), let occurred = row.date("occurred_at"),
            let received = row.date("received_at"), let deadline = row.date("deadline_at")
        else { throw unreadable("check-in") }
        self.init(
            id: id, occurredAt: occurred, receivedAt: received,
            nextCheckInTime: deadline.milliseconds == 0 ? nil : deadline,
            opensAt: row.date("opens_at"), source: row["source"])
    }

    func copy(to database: Database) throws {
        try database.execute(
            sql:
                """
                INSERT OR REPLACE INTO check_ins
                    (id, occurred_at, received_at, deadline_at, opens_at, source)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id.uuid, occurredAt.milliseconds, receivedAt.milliseconds,
                nextCheckInTime?.milliseconds ?? 0, opensAt?.milliseconds, source,
            ])
    }
}

extension NotificationItem {
    static let selection = """
        SELECT id, type, title, body, created_at, read_at, about_user_id, alert_id, ping_id,
            session_id, kind
        FROM notifications ORDER BY created_at DESC, id DESC
        """

    init(copied row: Row) throws {
        guard let id: NotificationID = row.id("id"), let created = row.date("created_at") else {
            throw unreadable("notification")
        }
        let type = NotificationType(rawValue: row["type"]) ?? .fallback
        self.init(
            id: id, type: type, title: row["title"], body: row["body"], createdAt: created,
            readAt: row.date("read_at"), aboutUserID: row.id("about_user_id"),
            alertID: row.id("alert_id"), pingID: row.id("ping_id"),
            sessionID: row.id("session_id"),
            kind: (row["kind"] as String?).flatMap { NotificationKind(rawValue: $0) })
    }

    func copy(to database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO notifications (id, type, title, body, created_at, read_at,
                about_user_id, alert_id, ping_id, session_id, kind)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id.uuid, type.rawValue, title, body, createdAt.milliseconds, readAt?.milliseconds,
                aboutUserID?.uuid, alertID?.uuid, pingID?.uuid, sessionID?.uuid, kind?.rawValue,
            ])
    }
}
