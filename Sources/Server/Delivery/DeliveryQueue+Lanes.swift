import Domain

extension DeliveryQueue {
    /// One range of the index.
    struct Lane: Hashable {
        var channel: DeliveryChannel
        var priority: Int
    }

    /// A row is due from the moment at which its transaction began, and seen after the commit: rows
    /// may come to light out of the order of their times. They are found by reading again. What
    /// was taken meanwhile is due later, so that the same rows are seldom read twice.
    struct Rereading: Sendable {
        /// This much of the time before the last row is read with every reading.
        var overlap: Duration
        /// How often everything that is due is read from the beginning.
        var sweep: Duration
        /// The same while so much is due that it takes more than a page.
        var sweepOfMany: Duration = .seconds(5)

        /// Transactions commit in the order in which they began, but for the time of one group.
        static let oneWriter = Rereading(overlap: .milliseconds(20), sweep: .seconds(5))
        /// Transactions run side by side, and a commit waits for the disk of a replica.
        static let sideBySide = Rereading(overlap: .seconds(2), sweep: .seconds(1))
    }
}
