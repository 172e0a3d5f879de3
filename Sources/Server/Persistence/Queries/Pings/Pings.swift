import Domain
import Foundation

extension PingRecord {
    static let columns = "state, id, responder_id, dependent_id, created_at, settled_at"

    init(_ row: SQLRow) throws {
        self.init(
            id: try row["id"], responderID: try row["responder_id"],
            dependentID: try row["dependent_id"], createdAt: try row["created_at"],
            state: State(rawValue: try row["state"]) ?? .fallback, settledAt: try row["settled_at"])
    }
}

extension SQLConnection {
    public func ping(_ id: PingID, from responder: UserID) throws -> PingRecord? {
        try first(
            """
            SELECT \(PingRecord.columns) FROM pings
            WHERE user_id = $1 AND id = $2 AND responder_id = $1
            """,
            [.id(responder), .id(id)], PingRecord.init)
    }

    public func ping(_ id: PingID, to dependent: UserID) throws -> PingRecord? {
        try first(
            """
            SELECT \(PingRecord.columns) FROM pings
            WHERE user_id = $1 AND id = $2 AND dependent_id = $1
            """,
            [.id(dependent), .id(id)], PingRecord.init)
    }

    public func pendingPing(from responder: UserID, to dependent: UserID) throws -> PingRecord? {
        try first(
            """
            SELECT \(PingRecord.columns) FROM pings
            WHERE user_id = $1 AND responder_id = $1 AND dependent_id = $2 AND state = 'pending'
            """,
            [.id(responder), .id(dependent)], PingRecord.init
        )
    }

    public func pendingPings(to dependent: UserID) throws -> [PingRecord] {
        try query(
            """
            SELECT \(PingRecord.columns) FROM pings
            WHERE user_id = $1 AND dependent_id = $1 AND state = 'pending' ORDER BY created_at
            """,
            [.id(dependent)], PingRecord.init
        )
    }

    /// Returns the pending pings that the user has sent or received.
    func pendingPings(of user: UserID) throws -> [PingRecord] {
        try query(
            "SELECT \(PingRecord.columns) FROM pings WHERE user_id = $1 AND state = 'pending'",
            [.id(user)], PingRecord.init)
    }

    /// Returns sent and received pings, newest first.
    public func pings(of user: UserID, page: Page) throws -> [PingRecord] {
        try query(
            """
            SELECT \(PingRecord.columns) FROM pings
            WHERE user_id = $1 AND (created_at, id) < ($2, $3)
            ORDER BY created_at DESC, id DESC LIMIT $4
            """,
            [.id(user)] + page.bound + [.int(page.limit)], PingRecord.init
        )
    }

    public func expiredPings(at now: Date, limit: Int) throws -> [PingRecord] {
        try query(
            """
            SELECT \(PingRecord.columns) FROM pings
            WHERE state = 'pending' AND expires_at <= $1 AND user_id = dependent_id
            ORDER BY expires_at LIMIT $2
            """,
            [.date(now), .int(limit)], PingRecord.init
        )
    }
}

extension Transaction {
    /// Inserts a row for each side, and deletes the oldest settled pings between the two.
    public func insert(_ ping: PingRecord) throws {
        let expiry = ping.createdAt.adding(PingRules.lifetime)
        try execute(
            """
            INSERT INTO pings (user_id, id, responder_id, dependent_id, created_at, expires_at,
                state)
            VALUES ($1, $2, $3, $1, $4, $5, 'pending'), ($3, $2, $3, $1, $4, $5, 'pending')
            """,
            [
                .id(ping.dependentID), .id(ping.id), .id(ping.responderID), .date(ping.createdAt),
                .date(expiry),
            ]
        )
        try execute(
            """
            DELETE FROM pings WHERE user_id IN ($1, $2) AND responder_id = $2
                AND dependent_id = $1 AND state <> 'pending' AND created_at <
                (SELECT created_at FROM pings WHERE user_id = $1 AND responder_id = $2
                    AND dependent_id = $1 ORDER BY created_at DESC LIMIT 1 OFFSET $3)
            """,
            [.id(ping.dependentID), .id(ping.responderID), .int(PingRules.kept - 1)])
        wakeDeadlineMonitor(at: expiry)
    }

    /// Settles a pending ping. A settled ping stays unchanged.
    public func settle(_ ping: PingRecord, as state: PingRecord.State) throws
        -> PingRecord
    {
        try execute(
            """
            UPDATE pings SET state = $1, settled_at = $2
            WHERE user_id IN ($3, $4) AND id = $5 AND responder_id = $3 AND state = 'pending'
            """,
            [.text(state.rawValue), .date(now)] + ping.key
        )
        try deleteHeldNews(about: ping)
        var settled = ping
        settled.state = state
        settled.settledAt = now
        return settled
    }

    /// Postpones the expiry of a ping that can't be handled now, so that it doesn't block others.
    public func postponePing(_ ping: PingRecord, until time: Date) throws {
        try execute(
            """
            UPDATE pings SET expires_at = $1
            WHERE user_id IN ($2, $3) AND id = $4 AND responder_id = $2 AND state = 'pending'
            """,
            [.date(time)] + ping.key)
    }
}

extension PingRecord {
    fileprivate var key: [SQLValue] { [.id(responderID), .id(dependentID), .id(id)] }
}
