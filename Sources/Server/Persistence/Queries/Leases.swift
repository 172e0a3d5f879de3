import Domain
import Foundation

/// A delivery that a worker has taken for one try, with where to send it.
public struct LeasedDelivery: Sendable {
    public var record: DeliveryRecord
    /// nil for a person without an account who is told by e-mail.
    public var phoneNumber: PhoneNumber?
    /// nil for other channels.
    public var email: ConfirmedEmail?
    public var url: URL?
    /// Since when the endpoint has taken nothing.
    public var failingSince: Date?
    /// The keys of a browser; nil for other channels.
    public var keys: PushSubscriptionKeys?
    public var purpose = DeliveryPurpose.other
    /// The owner of the alert that it is about.
    public var alertOwner: UserID?
    /// When the app last gave its token; nil for other channels.
    public var registeredAt: Date?
    /// The recipient has no account, and answers by a link.
    public var isGuest = false
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
    /// - Parameter budgets: decide which paid messages go out.
    public func leaseDeliveries(
        _ due: [DueDelivery], lease: Duration, budgets: Budgets = .unlimited
    ) throws -> Lease {
        var result = Lease(end: now.adding(lease))
        let free = try free(of: Set(due.map(\.endpoint.userID)).sorted())
        result.busy = due.filter { !free.contains($0.endpoint.userID) }
        let rows = due.filter { free.contains($0.endpoint.userID) }
        var examined = try examine(rows)
        var underWay = try alertsUnderWay(examined.values.compactMap(\.place))
        var ready: [LeasedDelivery] = []
        for row in rows {
            guard case .take(let delivery) = examined[row.id] else { continue }
            if let place = delivery.place, !underWay.insert(place).inserted {
                result.blocked.append(row)
            } else {
                ready.append(delivery)
            }
        }
        let unpaid = try spend(on: ready, budgets)
        for id in unpaid { examined[id] = .settle(.givenUp, .overBudget, attempts: 0) }
        ready.removeAll { unpaid.contains($0.record.id) }
        result.taken = try take(ready, until: result.end)
        let taken = Set(result.taken.map(\.record.id))
        try refund(ready.filter { !taken.contains($0.record.id) }, budgets)
        result.settled = try settle(rows, examined)
        try goOn(without: rows.filter { examined[$0.id]?.cannotGoOut ?? false })
        return result
    }

    /// Lets the next step of the ladder begin for those who get nothing by these rows.
    private func goOn(without rows: [DueDelivery]) throws {
        try advanceSteps(of: Array(Set(rows.map(\.endpoint.userID))))
        for row in rows where row.endpoint.channel == .voice {
            guard let alert = try alert(ofDelivery: row.id, of: row.endpoint.userID) else {
                continue
            }
            try hurryCalls(about: alert)
        }
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
        try update(
            about: Self.keys(of: lease.taken) { $0.record.attempts },
            {
                """
                \(Self.release) \($0.from)
                WHERE next_try_at = $2 AND next_try_at > $1 AND state = 'sending'
                    AND deliveries.user_id = \($0["user_id"]) AND deliveries.id = \($0["id"])
                    AND attempts = \($0["tries"])
                """
            }, [.date(now), .date(lease.end)])
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
}
