import Domain
import Foundation
import GRDB

/// A row that this version can't read is left out until it is loaded anew.
private func unreadable(_ what: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "a \(what) of the copy can't be read"))
}

extension Row {
    fileprivate func date(_ column: Int) -> Date? {
        let milliseconds: Int64? = self[column]
        return milliseconds.map { Date(milliseconds: $0) }
    }

    fileprivate func id<Tag>(_ column: Int) -> ID<Tag>? {
        let uuid: UUID? = self[column]
        return uuid.map { ID($0) }
    }
}

extension ContactData {
    static let selection = """
        SELECT id, name, phone_number, picture_url, is_responder, is_dependent, date_added,
        has_pending_ping, pinged_at,
            emergency_note, last_check_in_at, next_check_in_at, interval_seconds, status, requests
        FROM contacts ORDER BY date_added DESC, id
        """

    init(copied row: Row) throws {
        guard let id: UserID = row.id(0), let added = row.date(6) else {
            throw unreadable("contact")
        }
        let (picture, note, interval, status): (String?, String?, Int?, String?) = (
            row[3], row[9], row[12], row[13]
        )
        var watch: WatchedState?
        if let note, let interval {
            let status = status.flatMap(UserStatus.init) ?? .fallback
            watch = WatchedState(
                emergencyNote: note, lastCheckInTime: row.date(10), nextCheckInTime: row.date(11),
                checkInIntervalSeconds: interval, status: status)
        }
        // The column takes no NULL: no number is an empty one.
        let number: String = row[2]
        let requests: String = row[14]
        self.init(
            id: id, name: row[1], phoneNumber: try? PhoneNumber(number),
            profilePictureURL: picture.flatMap { URL(string: $0) },
            roles: .shown(isResponder: row[4], isDependent: row[5]), dateAdded: added,
            hasPendingPing: row[7], pingedAt: row.date(8), watch: watch,
            requests: try WireJSON.tolerantDecoder()
                .decode(GrowingList<RoleRequest>.self, from: Data(requests.utf8)).wrappedValue)
    }

    func copy(to database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO contacts (id, name, phone_number, picture_url, is_responder,
                is_dependent, date_added, has_pending_ping,
                    pinged_at, emergency_note, last_check_in_at, next_check_in_at, interval_seconds,
                    status, requests)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id.uuid, name, phoneNumber?.text ?? "", profilePictureURL?.absoluteString,
                isResponder, isDependent, dateAdded.milliseconds, hasPendingPing,
                pingedAt?.milliseconds, watch?.emergencyNote, watch?.lastCheckInTime?.milliseconds,
                watch?.nextCheckInTime?.milliseconds,
                watch?.checkInIntervalSeconds, watch?.status.rawValue,
                String(decoding: try WireJSON.encoder().encode(requests), as: UTF8.self),
            ])
    }
}

extension PingRecord {
    static let selection =
        """
        SELECT id, responder_id, dependent_id, created_at, state, settled_at FROM pings
        ORDER BY created_at DESC, id DESC
        """

    init(copied row: Row) throws {
        guard let id: PingID = row.id(0), let responder: UserID = row.id(1),
            let dependent: UserID = row.id(2), let created = row.date(3),
            let text: String = row[4]
        else { throw unreadable("ping") }
        let state = State(rawValue: text) ?? .fallback
        self.init(
            id: id, responderID: responder, dependentID: dependent, createdAt: created,
            state: state, settledAt: row.date(5))
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
        SELECT id, occurred_at, received_at, deadline_at FROM check_ins
        ORDER BY occurred_at DESC, id DESC
        """

    init(copied row: Row) throws {
        guard let id: CheckInID = row.id(0), let occurred = row.date(1), let received = row.date(2),
            let deadline = row.date(3)
        else {
            throw unreadable("check-in")
        }
        self.init(id: id, occurredAt: occurred, receivedAt: received, nextCheckInTime: deadline)
    }

    func copy(to database: Database) throws {
        try database.execute(
            sql:
                """
                INSERT OR REPLACE INTO check_ins (id, occurred_at, received_at, deadline_at)
                VALUES (?, ?, ?, ?)
                """,
            arguments: [
                id.uuid, occurredAt.milliseconds, receivedAt.milliseconds,
                nextCheckInTime.milliseconds,
            ])
    }
}

extension NotificationItem {
    static let selection = """
        SELECT id, type, title, body, created_at, read_at, about_user_id, alert_id, ping_id
        FROM notifications ORDER BY created_at DESC, id DESC
        """

    init(copied row: Row) throws {
        guard let id: NotificationID = row.id(0), let created = row.date(4) else {
            throw unreadable("notification")
        }
        let type = NotificationType(rawValue: row[1]) ?? .fallback
        self.init(
            id: id, type: type, title: row[2], body: row[3], createdAt: created,
            readAt: row.date(5), aboutUserID: row.id(6), alertID: row.id(7),
            pingID: row.id(8))
    }

    func copy(to database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO notifications (id, type, title, body, created_at, read_at,
                about_user_id, alert_id, ping_id)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id.uuid, type.rawValue, title, body, createdAt.milliseconds, readAt?.milliseconds,
                aboutUserID?.uuid, alertID?.uuid, pingID?.uuid,
            ])
    }
}
