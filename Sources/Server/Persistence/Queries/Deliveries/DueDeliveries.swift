import Domain
import Foundation

/// A destination of deliveries: a person's device, phone number or e-mail address.
public struct DeliveryEndpoint: Hashable, Sendable {
    public var userID: UserID
    public var channel: DeliveryChannel
    public var pushEndpointID: PushEndpointID?

    public init(userID: UserID, channel: DeliveryChannel, pushEndpointID: PushEndpointID?) {
        self.userID = userID
        self.channel = channel
        self.pushEndpointID = pushEndpointID
    }
}

/// A due row of `deliveries`, with the values that determine its turn.
public struct DueDelivery: Hashable, Sendable {
    public var id: DeliveryID
    public var endpoint: DeliveryEndpoint
    /// 0 for alerts, 1 for everything else.
    public var priority: Int
    public var dueAt: Date

    public init(id: DeliveryID, endpoint: DeliveryEndpoint, priority: Int, dueAt: Date) {
        self.id = id
        self.endpoint = endpoint
        self.priority = priority
        self.dueAt = dueAt
    }

    public static let priorities = 0...1
}

extension SQLConnection {
    /// Returns due rows in the order of their index.
    /// - Parameter last: the last row of an earlier call; nil to start at the beginning.
    public func dueDeliveries(
        _ channel: DeliveryChannel, priority: Int, after last: DueDelivery? = nil, at now: Date,
        limit: Int
    ) throws -> [DueDelivery] {
        let start: [SQLValue] =
            last.map { [.date($0.dueAt), .id($0.endpoint.userID), .id($0.id)] }
            ?? [.integer(.min), .blob(Data()), .blob(Data())]
        return try query(
            """
            SELECT id, user_id, device_id, next_try_at FROM deliveries
            WHERE next_try_at IS NOT NULL AND channel = $1 AND priority = $2 AND next_try_at <= $3
                AND (next_try_at, user_id, id) > ($4, $5, $6)
            ORDER BY next_try_at, user_id, id LIMIT $7
            """,
            [.text(channel.rawValue), .int(priority), .date(now)] + start + [.int(limit)]
        ) { row in
            let endpoint = DeliveryEndpoint(
                userID: try row["user_id"], channel: channel,
                pushEndpointID: try row["device_id"])
            return DueDelivery(
                id: try row["id"], endpoint: endpoint, priority: priority,
                dueAt: try row["next_try_at"])
        }
    }

    /// Returns the next due row for one endpoint.
    public func nextDelivery(at endpoint: DeliveryEndpoint, at now: Date) throws -> DueDelivery? {
        for priority in DueDelivery.priorities {
            var values: [SQLValue] = [.id(endpoint.userID), .text(endpoint.channel.rawValue)]
            values += [.int(priority), .date(now)]
            if let device = endpoint.pushEndpointID { values.append(.id(device)) }
            let found = try first(
                """
                SELECT id, next_try_at FROM deliveries
                WHERE next_try_at IS NOT NULL AND user_id = $1 AND channel = $2 AND priority = $3
                    AND next_try_at <= $4
                    AND \(endpoint.pushEndpointID == nil ? "device_id IS NULL" : "device_id = $5")
                ORDER BY next_try_at, id LIMIT 1
                """, values
            ) {
                DueDelivery(
                    id: try $0["id"], endpoint: endpoint, priority: priority,
                    dueAt: try $0["next_try_at"])
            }
            if let found { return found }
        }
        return nil
    }

    /// Returns the time when the next row is due. Counts only rows due after `now`, if it is given.
    public func nextDelivery(channels: [DeliveryChannel], after now: Date? = nil) throws -> Date? {
        var moments: [Date] = []
        for channel in channels {
            for priority in DueDelivery.priorities {
                let start: SQLValue = now.map { .date($0) } ?? .integer(.min)
                let moment: Date? = try value(
                    """
                    SELECT MIN(next_try_at) FROM deliveries
                    WHERE next_try_at IS NOT NULL AND channel = $1 AND priority = $2
                        AND next_try_at > $3
                    """, [.text(channel.rawValue), .int(priority), start])
                if let moment { moments.append(moment) }
            }
        }
        return moments.min()
    }

    /// Counts a channel's deliveries that wait for a retry, by the reason of the last failure.
    public func retryingDeliveries(_ channel: DeliveryChannel) throws -> [String: Int] {
        let rows = try query(
            """
            SELECT COALESCE(reason, 'other') AS reason, COUNT(*) AS number FROM deliveries
            WHERE next_try_at IS NOT NULL AND channel = $1 AND state = 'retrying'
            GROUP BY COALESCE(reason, 'other')
            """, [.text(channel.rawValue)]
        ) { (try $0["reason"] as String, try $0["number"] as Int) }
        return Dictionary(rows, uniquingKeysWith: +)
    }

    /// Counts unsettled deliveries by state, up to `limit` in all. Counts queued ones only once
    /// they are due: limits of news, storms and the pause before an SMS hold others back. For the
    /// operator's metrics.
    public func openDeliveries(at now: Date, limit: Int = 10_000) throws -> [DeliveryState: Int] {
        let rows = try query(
            """
            SELECT state, COUNT(*) AS number FROM
                (SELECT state FROM deliveries WHERE next_try_at IS NOT NULL LIMIT $1) AS open
            GROUP BY state
            """, [.int(limit)]
        ) { (DeliveryState(rawValue: try $0["state"]) ?? .unknown, try $0["number"] as Int) }
        var open = Dictionary(rows, uniquingKeysWith: +)
        let queued = try dueQueuedDeliveries(at: now, limit: limit)
        open[.queued] = queued > 0 ? queued : nil
        return open
    }

    /// Counts due deliveries without an attempt. Reads only due rows of the index.
    private func dueQueuedDeliveries(at now: Date, limit: Int) throws -> Int {
        let priorities = DueDelivery.priorities.map { "\($0)" }.joined(separator: ", ")
        var found = 0
        for channel in DeliveryChannel.allCases where found < limit {
            found += try count(
                """
                SELECT COUNT(*) FROM
                    (SELECT 1 FROM deliveries WHERE next_try_at IS NOT NULL AND channel = $1
                        AND priority IN (\(priorities)) AND next_try_at <= $2
                        AND state = 'queued' LIMIT $3) AS due
                """, [.text(channel.rawValue), .date(now), .int(limit - found)])
        }
        return found
    }
}
