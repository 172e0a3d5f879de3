import Domain

extension DeliveryQueue {
    /// One range of the index of due rows: the rows of one channel and one priority.
    struct Lane: Hashable {
        var channel: DeliveryChannel
        var priority: Int
    }

    /// How often due rows are read again. A row is due from the start of its transaction but
    /// visible only after the commit. Meanwhile, rows that became due later may have been read
    /// already. Reading the same range again finds the late row. A row that was tried meanwhile has
    /// a later due time, so few rows are read twice.
    struct Rereading: Sendable {
        /// How far before the last row each reading starts.
        var overlap: Duration
        /// How often all due rows are read from the beginning.
        var sweep: Duration
        /// The interval that replaces `sweep` while more than one page is due.
        var sweepOfMany: Duration = .seconds(5)

        /// SQLite: transactions commit in the order of their starts, except within one
        /// group commit.
        static let oneWriter = Rereading(overlap: .milliseconds(20), sweep: .seconds(5))
        /// PostgreSQL: transactions run concurrently, and a commit waits for a replica's disk.
        static let sideBySide = Rereading(overlap: .seconds(2), sweep: .seconds(1))
    }
}
