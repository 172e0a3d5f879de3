import Domain
import Foundation

/// A delivery that a worker has taken for one try, with where to send it.
public struct LeasedDelivery: Sendable {
    public var record: DeliveryRecord
    public var phoneNumber: PhoneNumber
    public var url: URL?
    /// Since when the endpoint has taken nothing.
    public var failingSince: Date?
    var alertOwner: UserID?
}

/// The result of a worker's request for rows. A row that appears nowhere was settled before.
public struct Lease: Sendable {
    public struct Settled: Sendable, Equatable {
        public var channel: DeliveryChannel
        public var state: DeliveryState
        public var reason: DeliveryReason
    }

    public var taken: [LeasedDelivery] = []
    /// Nobody needs a try of these any more.
    public var settled: [Settled] = []
    /// Another message about the same alert is on its way to the same endpoint.
    public var blocked: [DueDelivery] = []
    /// Another server has the recipient at this moment.
    public var busy: [DueDelivery] = []
    /// When the rows that were taken are due again.
    var end: Date
}

extension Transaction {
    /// Takes what is due, alerts first and then the oldest.
    public func leaseDeliveries(
        channels: [DeliveryChannel], lease: Duration, limit: Int
    ) throws -> [LeasedDelivery] {
        var due: [DueDelivery] = []
        for priority in DueDelivery.priorities where due.count < limit {
            let rows = try channels.flatMap {
                try dueDeliveries($0, priority: priority, at: now, limit: limit)
            }
            due += rows.sorted { $0.dueAt < $1.dueAt }.prefix(limit - due.count)
        }
        return try leaseDeliveries(due, lease: lease).taken
    }

    /// Takes these rows and counts the try, before the try: a worker that dies leaves them to the
    /// next one, after `lease`. Each recipient is locked, so that two servers neither take the same
    /// row nor send messages about one alert side by side.
    public func leaseDeliveries(_ due: [DueDelivery], lease: Duration) throws -> Lease {
        var result = Lease(end: now.adding(lease))
        let free = try free(of: Set(due.map(\.endpoint.userID)).sorted())
        result.busy = due.filter { !free.contains($0.endpoint.userID) }
        for row in due where free.contains(row.endpoint.userID) {
            switch try examine(row) {
            case nil: break
            case .take(let delivery):
                if try isBehindAnother(delivery) {
                    result.blocked.append(row)
                } else if try take(delivery, lease: lease) {
                    result.taken.append(delivery)
                }
            case .settle(let end):
                if try settle(row, end) {
                    result.settled.append(
                        .init(channel: row.endpoint.channel, state: end.state, reason: end.reason))
                }
            }
        }
        return result
    }

    /// Makes due what a worker had taken that died with its server. Only where no other server can
    /// have it.
    public func releaseLeases() throws {
        for channel in DeliveryChannel.allCases {
            for priority in DueDelivery.priorities {
                try execute(
                    """
                    \(Self.release)
                    WHERE next_try_at IS NOT NULL AND channel = $2 AND priority = $3
                        AND next_try_at > $1 AND state = 'sending'
                    """, [.date(now), .text(channel.rawValue), .int(priority)])
            }
        }
    }

    /// Makes due what a lease has taken and nobody has tried, if it was committed at all. Rows that
    /// another server has taken since then stay with it.
    public func release(_ lease: Lease) throws {
        for delivery in lease.taken {
            let record = delivery.record
            try execute(
                """
                \(Self.release)
                WHERE user_id = $2 AND id = $3 AND attempts = $4 AND next_try_at = $5
                    AND next_try_at > $1 AND state = 'sending'
                """,
                [
                    .date(now), .id(record.userID), .id(record.id), .int(record.attempts),
                    .date(lease.end),
                ])
        }
    }

    private static let release = """
        UPDATE deliveries SET next_try_at = CASE superseded WHEN 1 THEN NULL ELSE $1 END,
            state = CASE superseded WHEN 1 THEN 'superseded' ELSE 'retrying' END,
            reason = COALESCE(reason, 'interrupted'), updated_at = $1
        """

    /// Locks those whom no other transaction has. Nobody can lock, or has, those who are gone.
    private func free(of people: [UserID]) throws -> Set<UserID> {
        let locked = try tryLock(people)
        guard locked.count < people.count else { return locked }
        let others = Set(people).subtracting(locked)
        let busy = try query(
            about: others.sorted(), { "SELECT id FROM users WHERE id \($0)" }
        ) { try $0["id"] as UserID }
        return locked.union(others.subtracting(busy))
    }

    private enum Examination {
        case take(LeasedDelivery)
        case settle(End)
    }

    private struct End {
        var state: DeliveryState
        var reason: DeliveryReason
        /// Tries so far.
        var attempts: Int
    }

    /// nil when the row is not due any more.
    private func examine(_ due: DueDelivery) throws -> Examination? {
        let channel = due.endpoint.channel
        let user = due.endpoint.userID
        return try first(
            """
            SELECT d.superseded, d.useful_until, d.attempts, d.created_at AS delivery_created_at,
                d.alert_user_id, u.phone_number, v.url, v.failing_since, n.id, n.type, n.title,
                n.body, n.created_at, n.read_at, n.about_user_id, n.alert_id, n.ping_id
            FROM deliveries d
            LEFT JOIN users u ON u.id = d.user_id
            LEFT JOIN notifications n ON n.user_id = d.user_id AND n.id = d.notification_id
            LEFT JOIN devices v ON v.user_id = d.user_id AND v.id = d.device_id
            WHERE d.user_id = $1 AND d.id = $2 AND d.next_try_at <= $3
            """, [.id(user), .id(due.id), .date(now)]
        ) { row in
            let usefulUntil: Date = try row["useful_until"]
            let url: String? = try row["url"]
            let attempts: Int = try row["attempts"]
            let settle = { Examination.settle(End(state: $0, reason: $1, attempts: attempts)) }
            if try row["superseded"] { return settle(.superseded, .superseded) }
            if usefulUntil <= now { return settle(.givenUp, .tooLate) }
            if try row.isNull("id") { return settle(.givenUp, .notificationDeleted) }
            if channel == .webhook, url == nil { return settle(.failed, .endpointRemoved) }
            guard let text: String = try row["phone_number"], let number = try? PhoneNumber(text)
            else { return settle(.failed, .recipientUnreadable) }
            let record = DeliveryRecord(
                id: due.id, userID: user, notification: try NotificationItem(row),
                channel: channel, pushEndpointID: due.endpoint.pushEndpointID,
                attempts: attempts + 1, createdAt: try row["delivery_created_at"],
                usefulUntil: usefulUntil)
            return .take(
                LeasedDelivery(
                    record: record, phoneNumber: number, url: url.flatMap { URL(string: $0) },
                    failingSince: try row["failing_since"],
                    alertOwner: try row["alert_user_id"]))
        }
    }

    /// True if "needs help" could still arrive after "is fine", of this alert or of an earlier one
    /// of the same person, if both were under way.
    private func isBehindAnother(_ delivery: LeasedDelivery) throws -> Bool {
        let record = delivery.record
        guard let owner = delivery.alertOwner else { return false }
        var values: [SQLValue] = [.id(record.userID), .text(record.channel.rawValue), .date(now)]
        values += [.id(owner), .id(record.id)]
        if let device = record.pushEndpointID { values.append(.id(device)) }
        return try hasRow(
            """
            SELECT 1 FROM deliveries
            WHERE user_id = $1 AND channel = $2 AND next_try_at IS NOT NULL AND next_try_at > $3
                AND state = 'sending' AND alert_user_id = $4 AND id <> $5
                AND \(record.pushEndpointID == nil ? "device_id IS NULL" : "device_id = $6") LIMIT 1
            """, values)
    }

    /// Returns false if the row has changed since it was examined: an alert's owner is locked when
    /// its messages are withdrawn, and not their recipients.
    private func take(_ delivery: LeasedDelivery, lease: Duration) throws -> Bool {
        let record = delivery.record
        let changed = try execute(
            """
            UPDATE deliveries SET state = 'sending', attempts = attempts + 1, next_try_at = $1,
                updated_at = $2
            WHERE user_id = $3 AND id = $4 AND attempts = $5 AND superseded = 0
                AND next_try_at <= $2
            """,
            [
                .date(now.adding(lease)), .date(now), .id(record.userID), .id(record.id),
                .int(record.attempts - 1),
            ])
        return changed > 0
    }

    /// The reason of an earlier try says more than that time is up. Returns false if the row has
    /// changed since it was examined.
    private func settle(_ due: DueDelivery, _ end: End) throws -> Bool {
        let isFallback = end.reason == .tooLate || end.reason == .superseded
        let changed = try execute(
            """
            UPDATE deliveries SET state = $1, next_try_at = NULL, updated_at = $2,
                reason = \(isFallback ? "COALESCE(reason, $3)" : "$3")
            WHERE user_id = $4 AND id = $5 AND attempts = $6 AND next_try_at <= $2
            """,
            [
                .text(end.state.rawValue), .date(now), .text("\(end.reason)"),
                .id(due.endpoint.userID), .id(due.id), .int(end.attempts),
            ])
        return changed > 0
    }
}
