extension PostgreSQLConnection {
    struct Limits: Sendable {
        /// For each host; libpq takes whole seconds, and at least two.
        var connect: Duration = .seconds(5)
        var statement: Duration = .seconds(10)
        /// Longer than a statement, because a commit may wait for a replica.
        var commit: Duration = .seconds(20)
        /// How long a statement waits for the rows of another transaction.
        var lock: Duration = .seconds(5)
        /// How long a transaction may stand still between two statements.
        var idle: Duration = .seconds(30)
        /// How long a connection that is not in use has to answer.
        var answer: Duration = .seconds(1)
        /// How long a job waits for a free connection.
        var waiting: Duration = .seconds(10)
    }
}
