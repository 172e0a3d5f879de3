extension PostgreSQLConnection {
    struct Limits: Sendable {
        /// The time to connect to each host; libpq takes whole seconds, at least two.
        var connect: Duration = .seconds(5)
        var statement: Duration = .seconds(10)
        /// Longer than `statement`, because a commit may wait for a replica.
        var commit: Duration = .seconds(20)
        /// How long a statement waits for rows that another transaction has locked.
        var lock: Duration = .seconds(5)
        /// How long a transaction may be idle between two statements. It equals the time that this
        /// side waits for a response, so the locks are released when this side gives up.
        var idle: Duration = .seconds(10)
        /// How long an unused connection may take to answer a probe.
        var answer: Duration = .seconds(1)
        /// How long a job waits for a free connection.
        var waiting: Duration = .seconds(10)
    }
}
