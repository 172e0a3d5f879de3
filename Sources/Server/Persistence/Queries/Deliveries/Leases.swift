import Domain
import Foundation

/// A delivery that a worker has leased for one attempt, with its destination.
public struct LeasedDelivery: Sendable {
    public var record: DeliveryRecord
    /// The recipient's number; nil for a guest with an e-mail address.
    public var phoneNumber: PhoneNumber?
    /// The recipient's address, for e-mail only.
    public var email: ConfirmedEmail?
    public var url: URL?
    public var failingSince: Date?
    public var keys: PushSubscriptionKeys?
    public var purpose = DeliveryPurpose.other
    public var alertOwner: UserID?
    /// When the app last registered its push token.
    public var registeredAt: Date?
    /// True for a recipient without an account, who answers through a link.
    public var isGuest = false
    /// True for the SMS of a drill to a person whose "1" would answer an open alert instead.
    public var isAnswerAboutAlert = false
    /// For webhooks only.
    public var webhook = WebhookForm()
    /// When the lease expires; nil before the lease.
    public var leasedUntil: Date?
}

/// The result of leasing rows. Omits rows that were already settled.
public struct Lease: Sendable {
    public struct Settled: Sendable, Equatable {
        public var channel: DeliveryChannel
        public var state: DeliveryState
        public var reason: DeliveryReason
    }

    public var taken: [LeasedDelivery] = []
    /// Rows settled without an attempt.
    public var settled: [Settled] = []
    /// The channels of the beginnings of alerts that the budgets didn't allow.
    public var unpaidAlarms: Set<DeliveryChannel> = []
    /// Rows that wait for another message to the same endpoint about an alert of the same owner. An
    /// end that names no alert waits for messages about the alerts of any owner.
    public var blocked: [DueDelivery] = []
    /// Rows whose recipient another transaction has locked.
    public var busy: [DueDelivery] = []
    /// When the lease expires.
    var end: Date
}

extension Transaction {
    /// Leases due rows: alerts first, then the oldest.
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

    /// Leases these rows, and counts the attempt in advance. If the worker dies, another worker
    /// takes the rows after `lease`. Locks each recipient. So two servers never take the same row,
    /// and never send two messages about one alert at once.
    /// - Parameter budgets: decide which paid messages are sent.
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
            guard case .take(var delivery) = examined[row.id] else { continue }
            if delivery.purpose == .drill, delivery.record.channel == .sms {
                delivery.isAnswerAboutAlert = try hasAlertToAnswer(delivery.record.userID)
            }
            if let place = delivery.place {
                guard !place.mustWait(for: underWay) else {
                    result.blocked.append(row)
                    continue
                }
                underWay.insert(place)
            }
            ready.append(delivery)
        }
        let unpaid = try spend(on: ready, budgets)
        for id in unpaid { examined[id] = .settle(.givenUp, .overBudget, attempts: 0) }
        let unpaidAlarms = ready.filter {
            $0.purpose == .alertBegin && unpaid.contains($0.record.id)
        }
        result.unpaidAlarms = Set(unpaidAlarms.map(\.record.channel))
        ready.removeAll { unpaid.contains($0.record.id) }
        result.taken = try take(ready, until: result.end)
        let taken = Set(result.taken.map(\.record.id))
        try refund(ready.filter { !taken.contains($0.record.id) }, budgets)
        result.settled = try settle(rows, examined)
        try goOn(without: rows.filter { examined[$0.id]?.cannotGoOut ?? false })
        return result
    }

    /// Starts the ladder's next step for the recipients of messages that can't be sent.
    private func goOn(without rows: [DueDelivery]) throws {
        try advanceSteps(of: Array(Set(rows.map(\.endpoint.userID))))
        let calls = rows.filter { $0.endpoint.channel == .voice }
        for row in calls {
            guard let alert = try alert(ofDelivery: row.id, of: row.endpoint.userID) else {
                continue
            }
            try hurryCalls(about: alert)
        }
        if !calls.isEmpty { try hurryCalls(to: Set(calls.map(\.endpoint.userID))) }
    }

    /// Ends the leases of servers that died. Their messages may have left, and their calls may be
    /// ringing, so calls wait. Only for a server that has the database to itself.
    public func releaseLeases() throws {
        for channel in DeliveryChannel.allCases {
            let pause = channel == .voice ? Ladder.callPatience : .zero
            for priority in DueDelivery.priorities {
                try execute(
                    """
                    \(Self.release(after: pause)),
                        reason = CASE WHEN superseded = 1 THEN 'unconfirmed'
                            ELSE 'interrupted' END
                    WHERE next_try_at IS NOT NULL AND channel = $2 AND priority = $3
                        AND next_try_at > $1 AND state = 'sending'
                    """, [.date(now), .text(channel.rawValue), .int(priority)])
            }
        }
    }

    /// Ends the lease of rows that weren't tried. Has no effect on rows that another server has
    /// leased meanwhile, or if the lease was never committed.
    public func release(_ lease: Lease) throws {
        try update(
            about: Self.keys(of: lease.taken) { $0.record.attempts },
            {
                """
                \(Self.release()), reason = COALESCE(reason, 'interrupted') \($0.from)
                WHERE next_try_at = $2 AND next_try_at > $1 AND state = 'sending'
                    AND deliveries.user_id = \($0["user_id"]) AND deliveries.id = \($0["id"])
                    AND attempts = \($0["tries"])
                """
            }, [.date(now), .date(lease.end)])
    }

    private static func release(after pause: Duration = .zero) -> String {
        """
        UPDATE deliveries SET
            next_try_at = CASE WHEN superseded = 1 THEN NULL ELSE $1 + \(pause.milliseconds) END,
            state = CASE WHEN superseded = 1 THEN 'superseded' ELSE 'retrying' END,
            updated_at = $1
        """
    }

    /// Locks people, and returns all except those locked by another transaction. Returns deleted
    /// people, too.
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
