import Domain
import Foundation

extension SQLConnection {
    /// Counts today's paid messages by channel. Channels without messages are omitted.
    public func spending() throws -> [DeliveryChannel: Int] {
        let rows = try query(
            "SELECT channel, used FROM spending WHERE day = $1", [.date(Budget.day(of: now))]
        ) { (DeliveryChannel(rawValue: try $0["channel"]), try $0["used"] as Int) }
        return rows.reduce(into: [:]) { used, row in
            if let channel = row.0 { used[channel] = row.1 }
        }
    }

    /// Returns true if today's budgets allow these messages of one user. Charges nothing.
    public func maySpend(
        _ use: BudgetUse, times count: Int, on channel: DeliveryChannel, by user: UserID,
        _ budgets: Budgets
    ) throws -> Bool {
        guard let budget = budgets.limited(channel) else { return true }
        let own: Int? = try value(
            "SELECT used FROM user_spending WHERE day = $1 AND channel = $2 AND user_id = $3",
            [.date(Budget.day(of: now)), .text(channel.rawValue), .id(user)])
        return budget.allows(count, use, after: try spending()[channel] ?? 0, byUser: own ?? 0)
    }
}

extension Transaction {
    /// Charges a message that is about to be sent without a row in `deliveries`. Returns false,
    /// without a charge, if it exceeds a budget.
    /// - Parameter user: the user who caused the message, if any.
    public func spend(
        _ use: BudgetUse, on channel: DeliveryChannel, by user: UserID? = nil, _ budgets: Budgets
    ) throws -> Bool {
        guard let budget = budgets.limited(channel) else { return true }
        var account = try SpendingAccount(channel, [user].compactMap(\.self), budget, in: self)
        guard account.spend(use, by: user) else { return false }
        try account.save(in: self)
        return true
    }

    /// Returns true if the server's budget allows one more message. Charges nothing.
    public func maySpend(
        _ use: BudgetUse, on channel: DeliveryChannel, _ budgets: Budgets
    ) throws -> Bool {
        guard let budget = budgets.limited(channel) else { return true }
        return budget.allows(use, after: try spending()[channel] ?? 0, byUser: nil)
    }

    /// Charges the first attempts of paid messages; retries are free. The owner of an alert pays
    /// for its messages. Returns the messages that exceed a budget.
    func spend(on deliveries: [LeasedDelivery], _ budgets: Budgets) throws -> Set<DeliveryID> {
        var refused: Set<DeliveryID> = []
        for channel in Budgets.channels {
            guard let budget = budgets.limited(channel) else { continue }
            let first = deliveries.filter { $0.isFirstTry(by: channel) }
            guard !first.isEmpty else { continue }
            var account = try SpendingAccount(channel, first.map(\.payer), budget, in: self)
            let uses = try uses(of: first)
            // Charges the most important messages first, in case the budget is too small.
            for (delivery, use) in uses.sorted(by: { $0.use.percent > $1.use.percent })
            where !account.spend(use, by: delivery.payer) {
                refused.insert(delivery.record.id)
            }
            try account.save(in: self)
        }
        return refused
    }

    /// Returns what each delivery is charged as. A repeat is charged as an alarm (an alert's first
    /// message) until an alarm has reached a carrier. The first alarm may have been superseded, and
    /// a new responder gets only repeats. "No responder is on it" is charged as an alarm to a
    /// person whose last message says that a responder is on it: a responder could otherwise use up
    /// the owner's share and let the others believe in help. The question whether a responder is
    /// still on it is charged as a repeat, because everyone is alerted again without an answer.
    private func uses(
        of deliveries: [LeasedDelivery]
    ) throws -> [(delivery: LeasedDelivery, use: BudgetUse)] {
        let repeats = deliveries.filter { $0.purpose == .alertRepeat }
        let known = try query(
            about: RowKeys(
                ["user_id": .bytea, "id": .bytea],
                repeats.map { [.id($0.record.userID), .id($0.record.id)] }),
            {
                """
                SELECT d.id FROM deliveries d \($0.join)
                WHERE d.user_id = \($0["user_id"]) AND d.id = \($0["id"])
                    AND EXISTS (SELECT 1 FROM deliveries AS earlier
                        WHERE earlier.user_id = d.user_id
                            AND earlier.alert_user_id = d.alert_user_id
                            AND earlier.alert_id = d.alert_id AND earlier.channel = d.channel
                            AND earlier.purpose IN ('alertBegin', 'alertRepeat')
                            AND (earlier.state IN ('accepted', 'seen', 'acknowledged')
                                OR earlier.reason IN (\(Self.reasonsOfCalls))))
                """
            }
        ) { try $0["id"] as DeliveryID }
        let corrections = try corrections(among: deliveries)
        return deliveries.map { delivery in
            let isFirst =
                delivery.purpose == .alertRepeat && !known.contains(delivery.record.id)
            if isFirst || corrections.contains(delivery.record.id) {
                return (delivery, .alertBegin)
            }
            let isQuestion =
                delivery.purpose == .alertNews
                && delivery.record.notification.isOf(.helpQuestion)
            return (delivery, isQuestion ? .alertRepeat : BudgetUse(delivery.purpose))
        }
    }

    /// Returns the messages that say that no responder is on it, to people whose last message about
    /// the alert on that channel says that a responder is on it.
    private func corrections(among deliveries: [LeasedDelivery]) throws -> Set<DeliveryID> {
        let calls = deliveries.filter { [.alertRepeat, .alertUntaken].contains($0.purpose) }
        return Set(
            try query(
                about: RowKeys(
                    ["user_id": .bytea, "id": .bytea],
                    calls.map { [.id($0.record.userID), .id($0.record.id)] }),
                {
                    """
                    SELECT d.id FROM deliveries d \($0.join)
                    WHERE d.user_id = \($0["user_id"]) AND d.id = \($0["id"])
                        AND (SELECT earlier.purpose FROM deliveries AS earlier
                            WHERE earlier.user_id = d.user_id
                                AND earlier.alert_user_id = d.alert_user_id
                                AND earlier.alert_id = d.alert_id
                                AND earlier.channel = d.channel
                                AND earlier.state IN ('accepted', 'seen', 'acknowledged')
                            ORDER BY earlier.created_at DESC,
                                CASE WHEN earlier.purpose = 'alertNews' THEN 0 ELSE 1 END
                            LIMIT 1) = 'alertNews'
                    """
                }
            ) { try $0["id"] as DeliveryID })
    }

    /// The reasons of failed calls that count as an alarm, as an SQL list.
    private static let reasonsOfCalls = DeliveryReason.Kind.ofRingingCalls
        .map { "'\(DeliveryReason($0))'" }.joined(separator: ", ")

    /// Adds to the count of a user.
    /// - Parameter kind: the channel, or another act that `LimitsOfNumbers.swift` counts.
    func charge(_ count: Int, for kind: String, on day: Date, to user: UserID) throws {
        try execute(
            """
            INSERT INTO user_spending (user_id, day, channel, used) VALUES ($1, $2, $3, $4)
            ON CONFLICT (user_id, day, channel)
            DO UPDATE SET used = user_spending.used + excluded.used
            """, [.id(user), .date(day), .text(kind), .int(count)])
    }

    /// Refunds messages that were withdrawn just before their first attempt.
    func refund(_ deliveries: [LeasedDelivery], _ budgets: Budgets) throws {
        for channel in Budgets.channels {
            guard let budget = budgets.limited(channel) else { continue }
            let payers = deliveries.filter { $0.isFirstTry(by: channel) }.map(\.payer)
            guard !payers.isEmpty else { continue }
            var account = try SpendingAccount(channel, payers, budget, in: self)
            for payer in payers { account.refund(payer) }
            try account.save(in: self)
        }
    }
}

extension LeasedDelivery {
    /// The user whose budget pays for the message.
    fileprivate var payer: UserID {
        let owner = purpose == .drill ? record.notification.aboutUserID : alertOwner
        return owner ?? record.userID
    }

    fileprivate func isFirstTry(by channel: DeliveryChannel) -> Bool {
        record.channel == channel && record.attempts == 1
    }
}

/// One channel's spending on one day, for the whole server and for some users.
private struct SpendingAccount {
    private let channel: DeliveryChannel
    private let day: Date
    private let budget: Budget
    private var used: Int
    private var byUser: [UserID: Int]
    private var added: [UserID: Int] = [:]
    private var addedInAll = 0

    /// Locks the server's total first, so that no other server spends at the same time.
    init(
        _ channel: DeliveryChannel, _ users: [UserID], _ budget: Budget, in transaction: Transaction
    ) throws {
        self.channel = channel
        self.budget = budget
        day = Budget.day(of: transaction.now)
        let key: [SQLValue] = [.date(day), .text(channel.rawValue)]
        used =
            try transaction.first(
                """
                INSERT INTO spending (day, channel, used) VALUES ($1, $2, 0)
                ON CONFLICT (day, channel) DO UPDATE SET used = spending.used RETURNING used
                """, key
            ) { try $0["used"] as Int } ?? 0
        let rows = try transaction.query(
            about: Set(users).sorted(),
            {
                """
                SELECT user_id, used FROM user_spending
                WHERE day = $1 AND channel = $2 AND user_id \($0)
                """
            }, key
        ) { (try $0["user_id"] as UserID, try $0["used"] as Int) }
        byUser = Dictionary(rows, uniquingKeysWith: +)
    }

    mutating func spend(_ use: BudgetUse, by user: UserID?) -> Bool {
        let own = user.map { byUser[$0, default: 0] }
        guard budget.allows(use, after: used, byUser: own) else { return false }
        add(1, by: user)
        return true
    }

    mutating func refund(_ user: UserID) { add(-1, by: user) }

    private mutating func add(_ count: Int, by user: UserID?) {
        used += count
        addedInAll += count
        guard let user else { return }
        byUser[user, default: 0] += count
        added[user, default: 0] += count
    }

    func save(in transaction: Transaction) throws {
        guard addedInAll != 0 else { return }
        let key: [SQLValue] = [.date(day), .text(channel.rawValue)]
        try transaction.execute(
            "UPDATE spending SET used = used + $1 WHERE day = $2 AND channel = $3",
            [.int(addedInAll)] + key)
        for (user, count) in added.sorted(by: { $0.key < $1.key }) {
            try transaction.charge(count, for: channel.rawValue, on: day, to: user)
        }
    }
}
