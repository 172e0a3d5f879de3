import Domain
import Foundation

extension Transaction {
    /// Makes the alert's next decision about calls due now, because a call has ended or can't be
    /// made. If another transaction has locked the owner, only notes the alert in `missedCalls`.
    /// The engine then makes the decision due after the commit, once the owner is free.
    public func hurryCalls(about alert: AlertKey) throws {
        guard try !tryLock([alert.owner]).isEmpty else {
            missedCalls.insert(alert)
            return
        }
        try hurryCalls(aboutLocked: alert)
    }

    /// Like `hurryCalls(about:)`, in a transaction that has locked the owner. Changes nothing if
    /// the owner was deleted.
    func hurryCalls(aboutLocked alert: AlertKey) throws {
        let changed = try execute(
            """
            UPDATE alerts SET next_call_at = $1
            WHERE next_call_at > $1 AND user_id = $2 AND id = $3
            """, [.date(now), .id(alert.owner), .id(alert.id)])
        if changed > 0 { wakeDeadlineMonitor(at: now) }
    }

    /// Brings waiting calls to these people forward, because another call may keep their phones
    /// busy no longer (`busyPhones`).
    public func hurryCalls(to people: some Collection<UserID>) throws {
        for alert in try alertsWaitingToCall(people) { try hurryCalls(about: alert) }
    }

    /// Returns the alerts with a call to one of these people that waits for its turn. Begins with
    /// the open alerts, because a person has many deliveries, and no index finds the waiting ones.
    /// - Parameter condition: a further SQL condition on the call's row.
    func alertsWaitingToCall(
        _ people: some Collection<UserID>, where condition: String = "1 = 1"
    ) throws -> Set<AlertKey> {
        let known = try query(
            about: people.sorted(),
            { "SELECT user_id, other_id FROM acquaintances WHERE user_id \($0)" }
        ) { (person: try $0["user_id"] as UserID, owner: try $0["other_id"] as UserID) }
        let recipients = Dictionary(grouping: known, by: \.owner)
        let alerts = try query(
            about: recipients.keys.sorted(),
            { "SELECT user_id, id FROM alerts WHERE next_call_at IS NOT NULL AND user_id \($0)" }
        ) { AlertKey(owner: try $0["user_id"], id: try $0["id"]) }
        let waiting = try alerts.filter { alert in
            let people = recipients[alert.owner, default: []].map(\.person)
            return try people.lists(from: 3).contains { list in
                try hasRow(
                    """
                    SELECT 1 FROM deliveries
                    WHERE alert_user_id = $1 AND alert_id = $2 AND user_id IN (\(list.sql))
                        AND state = 'queued' AND next_try_at IS NULL AND channel = 'voice'
                        AND \(condition)
                    """, [.id(alert.owner), .id(alert.id)] + list.values)
            }
        }
        return Set(waiting)
    }

    public func start(_ calls: [Ladder.Call]) throws {
        for call in calls.sorted(by: { $0.person < $1.person }) {
            try execute(
                """
                UPDATE deliveries SET next_try_at = $1, reason = NULL, updated_at = $1
                WHERE state = 'queued' AND next_try_at IS NULL AND user_id = $2 AND id = $3
                """, [.date(now), .id(call.person), .id(call.delivery)])
        }
        if !calls.isEmpty { wakeDelivery() }
    }

    public func saveNextCall(of alert: AlertRow) throws {
        try execute(
            "UPDATE alerts SET next_call_at = $1 WHERE user_id = $2 AND id = $3",
            [.date(alert.callDue), .id(alert.userID), .id(alert.id)])
        wakeDeadlineMonitor(at: alert.callDue)
    }
}

extension SQLConnection {
    /// Returns alerts whose next decision about calls is due.
    public func alertsWithDueCalls(at now: Date, limit: Int) throws -> [AlertRow] {
        try query(
            """
            SELECT \(AlertRow.columns) FROM alerts
            WHERE next_call_at IS NOT NULL AND next_call_at <= $1 ORDER BY next_call_at LIMIT $2
            """, [.date(now), .int(limit)], AlertRow.init)
    }

    /// Returns the alert's waiting and active calls, and the rounds and the people of the calls
    /// made so far. A call to a busy line doesn't count, because the person heard nothing.
    public func calls(
        about alert: AlertRow
    ) throws -> (open: [Ladder.Call], rounds: [Date], called: Set<UserID>) {
        let rows = try possibleRecipients(of: alert.userID).lists(from: 3).flatMap { list in
            try query(
                """
                SELECT user_id, id, state, next_try_at, created_at, updated_at, attempts,
                    reason, \(Ladder.Step.call.isTold) AS is_told
                FROM deliveries
                WHERE alert_user_id = $1 AND alert_id = $2 AND user_id IN (\(list.sql))
                    AND channel = 'voice'
                """, [.id(alert.userID), .id(alert.id)] + list.values, CallRow.init)
        }
        let made = Dictionary(grouping: rows.filter { $0.attempts > 0 }, by: \.person)
            .values.flatMap(CallRow.counted)
        let open = rows.compactMap { row in
            row.callState.map { state in
                Ladder.Call(
                    delivery: row.id, person: row.person, state: state, createdAt: row.createdAt,
                    earlierCalls: made.count { $0.person == row.person },
                    isOnlyWay: !row.isTold)
            }
        }
        return (open, made.map(\.createdAt), Set(made.map(\.person)))
    }

    /// Returns the people with a waiting call whose phone another call keeps busy, such as one
    /// about another alert. Returns when that call stops delaying others.
    public func busyPhones(of calls: [Ladder.Call]) throws -> [UserID: Date] {
        let people = Set(calls.filter { $0.state == .waiting }.map(\.person))
        let known = Set(calls.map(\.delivery))
        let rows = try people.lists(from: 3).flatMap { list in
            try query(
                """
                SELECT user_id, id, updated_at FROM deliveries
                WHERE updated_at > $1 AND updated_at <= $2 AND user_id IN (\(list.sql))
                    AND channel = 'voice' AND (state IN ('sending', 'accepted')
                        OR state = 'queued' AND next_try_at IS NOT NULL)
                """,
                [
                    .date(now.adding(.zero - Ladder.callPatience)),
                    .date(now.adding(Ladder.aheadOfCalls)),
                ] + list.values
            ) { row in
                (
                    person: try row["user_id"] as UserID, id: try row["id"] as DeliveryID,
                    since: try row["updated_at"] as Date
                )
            }
        }
        let others = rows.filter { !known.contains($0.id) }
            .map { ($0.person, min($0.since, now).adding(Ladder.callPatience)) }
        return Dictionary(others, uniquingKeysWith: max)
    }

    /// Returns the time of the last acknowledgement of the alert, or report on it, up to `time`.
    public func lastAnswer(to alert: AlertRow, until time: Date) throws -> Date? {
        let answers: [AlertAction.Kind] = [.acknowledged] + AlertReport.allCases.map(\.action)
        return try value(
            """
            SELECT MAX(happened_at) FROM alert_actions
            WHERE user_id = $1 AND alert_id = $2 AND happened_at <= $3
                AND kind IN (\(answers.literals))
            """, [.id(alert.userID), .id(alert.id), .date(time)])
    }

    public func alert(ofDelivery id: DeliveryID, of user: UserID) throws -> AlertKey? {
        try first(
            """
            SELECT alert_user_id, alert_id FROM deliveries
            WHERE user_id = $1 AND id = $2 AND alert_id IS NOT NULL
            """, [.id(user), .id(id)]
        ) { AlertKey(owner: try $0["alert_user_id"], id: try $0["alert_id"]) }
    }

    /// Returns true if a call was superseded or its alert needs no more calls. Checks the alert
    /// itself, because servers older than version 7 end alerts without withdrawing calls.
    public func isWithdrawnCall(_ id: DeliveryID, of user: UserID) throws -> Bool {
        let isSuperseded = try hasRow(
            "SELECT 1 FROM deliveries WHERE user_id = $1 AND id = $2 AND superseded = 1",
            [.id(user), .id(id)])
        if isSuperseded { return true }
        guard let alert = try alert(ofDelivery: id, of: user) else { return false }
        return try hasRow(
            """
            SELECT 1 FROM alerts WHERE user_id = $1 AND id = $2 AND (ended_at IS NOT NULL
                OR acknowledged_by IS NOT NULL OR report IS NOT NULL)
            """, [.id(alert.owner), .id(alert.id)])
    }
}

private struct CallRow {
    let person: UserID
    let id: DeliveryID
    let state: DeliveryState?
    let isStarted: Bool
    let createdAt: Date
    let updatedAt: Date
    let attempts: Int
    let wasBusy: Bool
    let isTold: Bool

    init(_ row: SQLRow) throws {
        person = try row["user_id"]
        id = try row["id"]
        state = DeliveryState(rawValue: try row["state"])
        isStarted = try !row.isNull("next_try_at")
        createdAt = try row["created_at"]
        updatedAt = try row["updated_at"]
        attempts = try row["attempts"]
        let reason: String? = try row["reason"]
        wasBusy = state == .failed && reason == "\(DeliveryReason.lineBusy)"
        isTold = try row["is_told"]
    }

    /// Returns the calls of one person that count. A call to a busy line doesn't count, unless the
    /// call before it was one, too. Some carriers report a rejected call as busy.
    static func counted(_ calls: [CallRow]) -> [CallRow] {
        let calls = calls.sorted { $0.createdAt < $1.createdAt }
        let before = [nil] + calls.map(Optional.some)
        return zip(before, calls).filter { $0?.wasBusy == true || !$1.wasBusy }.map(\.1)
    }

    /// The call's state; nil once it is over or waits for a retry. Its carrier may be down, so
    /// other calls don't wait for the retry.
    var callState: Ladder.Call.State? {
        switch state {
        case .queued where !isStarted: .waiting
        case .queued, .sending, .accepted: .underWay(since: updatedAt)
        default: nil
        }
    }
}

extension Transaction {
    /// Records a call's result, and brings the person's next call forward, which may be about
    /// another alert. Returns true if it is the call's first result.
    public func endCall(
        _ id: DeliveryID, to user: UserID, attempt: Int? = nil, _ outcome: CallOutcome
    ) throws -> Bool {
        let (state, reason): (DeliveryState, DeliveryReason?) =
            switch outcome {
            case .takesOn: (.acknowledged, nil)
            case .comesLate: (.seen, nil)
            case .declines: (.seen, .declined)
            case .unanswered(let reason): (.failed, reason)
            }
        let changed = try execute(
            """
            UPDATE deliveries SET state = $1, reason = $2, next_try_at = NULL, updated_at = $3
            WHERE user_id = $4 AND id = $5 AND channel = 'voice'
                AND (state IN ('queued', 'sending', 'retrying', 'accepted')
                    OR \(StoredReason.isPerhapsSent))
                AND (attempts = $6 OR $6 IS NULL)
            """,
            [
                .text(state.rawValue), reason.map { .text("\($0)") } ?? .null, .date(now),
                .id(user), .id(id), attempt.map { .int($0) } ?? .null,
            ])
        guard changed > 0 else { return false }
        if state == .failed { noteFailedMessage(to: user) }
        try hurryCalls(to: [user])
        return true
    }
}
