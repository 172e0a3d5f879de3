import Domain
import Foundation

enum DueExamination {
    case take(LeasedDelivery)
    case settle(DeliveryState, DeliveryReason, attempts: Int)

    /// Where to send an alert's message; nil if the message isn't sent or belongs to no alert.
    var place: AlertPlace? { if case .take(let delivery) = self { delivery.place } else { nil } }

    /// True if the message is still wanted but can't be sent.
    var cannotGoOut: Bool {
        switch self {
        case .settle(_, .endpointRemoved, _), .settle(_, .overBudget, _),
            .settle(_, .recipientUnreadable, _), .settle(_, .textsStopped, _):
            true
        case .settle, .take: false
        }
    }
}

/// An endpoint, and the owner of alerts that are sent there.
struct AlertPlace: Hashable {
    var endpoint: DeliveryEndpoint
    /// nil for an end that names no alert, because its reader was removed or blocked.
    var owner: UserID?

    /// Returns true if one of these messages must be sent first. The alarm that belongs to an end
    /// without an owner may be any of them.
    func mustWait(for underWay: Set<AlertPlace>) -> Bool {
        guard owner == nil else { return underWay.contains(self) }
        return underWay.contains { $0.endpoint == endpoint && $0.owner != nil }
    }
}

extension LeasedDelivery {
    var place: AlertPlace? {
        guard alertOwner != nil || purpose == .alertEnd else { return nil }
        return AlertPlace(
            endpoint: DeliveryEndpoint(
                userID: record.userID, channel: record.channel,
                pushEndpointID: record.pushEndpointID), owner: alertOwner)
    }
}

/// The steps of a lease. Each step is one statement if the engine accepts lists as parameters.
extension Transaction {
    /// Decides what to do with due rows. Omits rows that have been handled in the meantime.
    func examine(_ due: [DueDelivery]) throws -> [DeliveryID: DueExamination] {
        let keys = RowKeys(
            ["user_id": .bytea, "id": .bytea],
            due.map { [.id($0.endpoint.userID), .id($0.id)] })
        let endpoints = Dictionary(due.map { ($0.id, $0.endpoint) }, uniquingKeysWith: { $1 })
        let rows = try query(
            about: keys,
            {
                """
                SELECT d.id AS delivery_id, d.state AS delivery_state, d.superseded,
                    d.useful_until, d.attempts,
                    d.created_at AS delivery_created_at, d.alert_user_id, d.purpose,
                    u.phone_number, u.guest_since, u.sms_stopped_at,
                    COALESCE(v.url, s.url, a.url) AS url, a.registered_at,
                    COALESCE(v.failing_since, s.failing_since, a.failing_since)
                        AS failing_since, s.p256dh, s.auth, s.server_key, e.address AS email,
                    e.verified_at, v.template AS webhook_template, v.chat AS webhook_chat,
                    v.token AS webhook_token, n.id, n.type, n.title, n.body, n.created_at,
                    n.read_at, n.about_user_id, n.alert_id, n.ping_id, n.session_id,
                    n.kind
                FROM deliveries d
                LEFT JOIN users u ON u.id = d.user_id
                LEFT JOIN notifications n ON n.user_id = d.user_id AND n.id = d.notification_id
                LEFT JOIN devices v ON v.user_id = d.user_id AND v.id = d.device_id
                    AND d.channel = 'webhook'
                LEFT JOIN push_subscriptions s ON s.user_id = d.user_id AND s.id = d.device_id
                    AND d.channel = 'webPush'
                LEFT JOIN email_addresses e ON e.user_id = d.user_id AND d.channel = 'email'
                LEFT JOIN app_endpoints a ON a.user_id = d.user_id AND a.id = d.device_id
                    AND a.kind = d.channel \($0.join)
                WHERE d.next_try_at <= $1 AND d.user_id = \($0["user_id"])
                    AND d.id = \($0["id"])
                """
            }, [.date(now)]
        ) { row in
            let id: DeliveryID = try row["delivery_id"]
            return (id, try endpoints[id].map { try examination(of: row, id, to: $0) })
        }
        return Dictionary(rows, uniquingKeysWith: { $1 }).compactMapValues(\.self)
    }

    private func examination(
        of row: SQLRow, _ id: DeliveryID, to endpoint: DeliveryEndpoint
    ) throws -> DueExamination {
        let usefulUntil: Date = try row["useful_until"]
        let url: String? = try row["url"]
        let attempts: Int = try row["attempts"]
        let settle = { DueExamination.settle($0, $1, attempts: attempts) }
        if try row["superseded"] {
            // The lease has expired without its attempt's outcome, so the message may have left.
            let state: String = try row["delivery_state"]
            let isUnknown = state == DeliveryState.sending.rawValue
            return settle(.superseded, isUnknown ? .unconfirmed : .superseded)
        }
        if usefulUntil <= now { return settle(.givenUp, .tooLate) }
        if try row.isNull("id") { return settle(.givenUp, .notificationDeleted) }
        if PushEndpoint.Kind.allCases.map(\.channel).contains(endpoint.channel), url == nil {
            return settle(.failed, .endpointRemoved)
        }
        let address: String? = try row["email"]
        let email = try address.map {
            ConfirmedEmail(address: $0, verifiedAt: try row["verified_at"])
        }
        if endpoint.channel == .email, email == nil { return settle(.failed, .endpointRemoved) }
        // `stopTexts` leaves an attempt in progress alone. This stops its retries.
        let isGuest = try !row.isNull("guest_since")
        let stopped: [DeliveryChannel] = isGuest ? [.sms, .voice] : [.sms]
        if stopped.contains(endpoint.channel), try !row.isNull("sms_stopped_at") {
            return settle(.failed, .textsStopped)
        }
        guard let text: String = try row["phone_number"] else {
            return settle(.failed, .recipientUnreadable)
        }
        let number = try? PhoneNumber(text)
        if number == nil,
            !text.hasPrefix(PhoneNumber.noNumber) || [.sms, .voice].contains(endpoint.channel)
        {
            return settle(.failed, .recipientUnreadable)
        }
        let record = DeliveryRecord(
            id: id, userID: endpoint.userID, notification: try NotificationItem(row),
            channel: endpoint.channel, pushEndpointID: endpoint.pushEndpointID,
            attempts: attempts + 1, createdAt: try row["delivery_created_at"],
            usefulUntil: usefulUntil)
        return .take(
            LeasedDelivery(
                record: record, phoneNumber: number, email: email,
                url: url.flatMap { URL(string: $0) },
                failingSince: try row["failing_since"], keys: try PushSubscriptionKeys(row),
                purpose: DeliveryPurpose(rawValue: try row["purpose"]) ?? .other,
                alertOwner: try row["alert_user_id"], registeredAt: try row["registered_at"],
                isGuest: isGuest, webhook: try WebhookForm(row)))
    }

    /// Returns the places that a message about an alert is being sent to. A second message must
    /// wait: "needs help" could otherwise arrive after "is fine". The two messages may be about
    /// different alerts of one person. For a place without an owner, returns the places of all
    /// owners at its endpoint.
    func alertsUnderWay(_ places: [AlertPlace]) throws -> Set<AlertPlace> {
        var found: Set<AlertPlace> = []
        for (hasDevice, hasOwner) in [(false, true), (true, true), (false, false), (true, false)] {
            let wanted = Set(places).filter {
                ($0.endpoint.pushEndpointID != nil) == hasDevice && ($0.owner != nil) == hasOwner
            }
            let columns: KeyValuePairs<String, RowKeys.Kind> =
                switch (hasDevice, hasOwner) {
                case (false, true): ["user_id": .bytea, "channel": .text, "owner": .bytea]
                case (true, true):
                    ["user_id": .bytea, "channel": .text, "owner": .bytea, "device": .bytea]
                case (false, false): ["user_id": .bytea, "channel": .text]
                case (true, false): ["user_id": .bytea, "channel": .text, "device": .bytea]
                }
            let rows = wanted.map { place -> [SQLValue] in
                var row: [SQLValue] = [
                    .id(place.endpoint.userID), .text(place.endpoint.channel.rawValue),
                ]
                if let owner = place.owner { row.append(.id(owner)) }
                if let device = place.endpoint.pushEndpointID { row.append(.id(device)) }
                return row
            }
            found.formUnion(
                try query(
                    about: RowKeys(columns, rows),
                    {
                        """
                        SELECT d.user_id, d.channel, d.device_id, d.alert_user_id
                        FROM deliveries d \($0.join)
                        WHERE d.next_try_at IS NOT NULL AND d.next_try_at > $1
                            AND d.state = 'sending' AND d.user_id = \($0["user_id"])
                            AND d.channel = \($0["channel"])
                            AND d.alert_user_id \(hasOwner ? "= \($0["owner"])" : "IS NOT NULL")
                            AND d.device_id \(hasDevice ? "= \($0["device"])" : "IS NULL")
                        """
                    }, [.date(now)]
                ) { row in
                    let channel = DeliveryChannel(rawValue: try row["channel"])
                    return AlertPlace(
                        endpoint: DeliveryEndpoint(
                            userID: try row["user_id"], channel: channel ?? .console,
                            pushEndpointID: try row["device_id"]),
                        owner: try row["alert_user_id"])
                })
        }
        return found
    }

    /// Leases deliveries. Omits rows that changed after the examination. A withdrawal of an alert's
    /// messages can change them: it locks the owner, not the recipients.
    func take(_ deliveries: [LeasedDelivery], until end: Date) throws -> [LeasedDelivery] {
        let inOrder = deliveries.sorted { $0.record.key < $1.record.key }
        let times = sendingTimes(of: inOrder)
        let keys = RowKeys(
            ["sending_at": .bigint, "user_id": .bytea, "id": .bytea, "tries": .bigint],
            inOrder.map { delivery in
                let record = delivery.record
                return [
                    .date(times[record.id] ?? now), .id(record.userID), .id(record.id),
                    .int(record.attempts - 1),
                ]
            })
        let changed = try update(
            about: keys,
            {
                """
                UPDATE deliveries SET state = 'sending', attempts = attempts + 1,
                    next_try_at = $1, updated_at = $2, sent_at = \($0["sending_at"]),
                    reason = CASE WHEN attempts > 0 THEN reason END \($0.from)
                WHERE deliveries.user_id = \($0["user_id"]) AND deliveries.id = \($0["id"])
                    AND attempts = \($0["tries"]) AND superseded = 0 AND next_try_at <= $2
                """
            }, [.date(end), .date(now)])
        let taken = Set(changed.map { inOrder[$0].record.id })
        return deliveries.filter { taken.contains($0.record.id) }.map { delivery in
            var delivery = delivery
            delivery.leasedUntil = end
            return delivery
        }
    }

    /// Returns the start time of each attempt. Attempts to one person that start together get times
    /// a millisecond apart, in the order of their messages, because an answer by SMS is about the
    /// newest message.
    private func sendingTimes(of deliveries: [LeasedDelivery]) -> [DeliveryID: Date] {
        var times: [DeliveryID: Date] = [:]
        for own in Dictionary(grouping: deliveries, by: \.record.userID).values {
            let made = Set(own.map(\.record.createdAt))
            for record in own.map(\.record) {
                let newer = made.count { $0 > record.createdAt }
                times[record.id] = now.adding(.milliseconds(-newer))
            }
        }
        return times
    }

    static func keys(
        of deliveries: [LeasedDelivery], _ tries: (LeasedDelivery) -> Int
    ) -> RowKeys {
        RowKeys(
            ["user_id": .bytea, "id": .bytea, "tries": .bigint],
            deliveries.map { [.id($0.record.userID), .id($0.record.id), .int(tries($0))] })
    }

    /// Settles rows. Omits rows that changed after the examination. "Too late" doesn't overwrite
    /// the reason of an earlier attempt.
    func settle(
        _ due: [DueDelivery], _ examined: [DeliveryID: DueExamination]
    ) throws -> [Lease.Settled] {
        var settled: [Lease.Settled] = []
        for isFallback in [true, false] {
            var ends: [Lease.Settled] = []
            var rows: [[SQLValue]] = []
            for row in due.sorted(by: { $0.key < $1.key }) {
                guard case .settle(let state, let reason, let attempts) = examined[row.id],
                    (reason == .tooLate || reason == .superseded) == isFallback
                else { continue }
                ends.append(.init(channel: row.endpoint.channel, state: state, reason: reason))
                rows.append([
                    .text(state.rawValue), .text("\(reason)"), .id(row.endpoint.userID),
                    .id(row.id), .int(attempts),
                ])
            }
            let changed = try update(
                about: RowKeys(
                    [
                        "new_state": .text, "new_reason": .text, "user_id": .bytea, "id": .bytea,
                        "tries": .bigint,
                    ], rows),
                {
                    let reason = $0["new_reason"]
                    return """
                        UPDATE deliveries SET next_try_at = NULL, updated_at = $1,
                            state = \($0["new_state"]),
                            reason = \(isFallback ? "COALESCE(reason, \(reason))" : reason)
                            \($0.from)
                        WHERE deliveries.user_id = \($0["user_id"])
                            AND deliveries.id = \($0["id"]) AND attempts = \($0["tries"])
                            AND next_try_at <= $1
                        """
                }, [.date(now)])
            settled += changed.sorted().map { ends[$0] }
        }
        return settled
    }
}

/// The sort key for updates of `deliveries`. All servers use the same order, so that two can't
/// deadlock.
struct DeliveryKey: Comparable {
    var user: UserID
    var id: DeliveryID

    static func < (lhs: Self, rhs: Self) -> Bool { (lhs.user, lhs.id) < (rhs.user, rhs.id) }
}

extension DueDelivery {
    fileprivate var key: DeliveryKey { DeliveryKey(user: endpoint.userID, id: id) }
}

extension DeliveryRecord {
    var key: DeliveryKey { DeliveryKey(user: userID, id: id) }
}
