extension PostgreSQLConnection {
    /// Returns true while the server still works on a commit that exceeded its timeout. Until the
    /// commit ends, the server keeps its locks and its connection slot, even if this side closes
    /// the connection.
    /// - Parameter other: a new connection. After a failover, it may lead to another server.
    func isCommitting(seenFrom other: PostgreSQLConnection) -> Bool {
        guard hasLateCommit, !pipeline.hasInput else { return false }
        let isAtWork = try? other.hasRow(
            """
            SELECT 1 FROM pg_stat_activity
            WHERE pid = $1::bigint AND state = 'active' AND query = 'COMMIT'
            """, [.int(pipeline.backend)])
        return isAtWork ?? true
    }

    var commitsAreLate: DatabaseError {
        .unreachable(
            path: address.description,
            reason: "commits do not end there: look at its replicas and its disk")
    }
}
