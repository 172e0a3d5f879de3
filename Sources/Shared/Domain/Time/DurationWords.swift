extension Duration {
    /// "24 hours", "1 hour 30 minutes", "2 days", "45 seconds".
    public var words: String {
        let seconds = max(0, components.seconds)
        // Below three days, hours are easier to read.
        if seconds >= 72 * 3600, seconds % 86_400 == 0 {
            return Self.count(seconds / 86_400, "day")
        }
        let parts = [
            (seconds / 3600, "hour"), (seconds % 3600 / 60, "minute"), (seconds % 60, "second"),
        ].filter { $0.0 > 0 }
        return parts.isEmpty
            ? Self.count(0, "second") : parts.map { Self.count($0.0, $0.1) }.joined(separator: " ")
    }

    /// The words of a measured time: from three days on, days and whole hours, such as "7 days 20
    /// hours". An interval keeps the hours that a person typed (`words`).
    public var elapsedWords: String {
        let hours = components.seconds / 3600
        guard hours >= 72 else { return words }
        let days = Self.count(hours / 24, "day")
        return hours % 24 == 0 ? days : "\(days) \(Self.count(hours % 24, "hour"))"
    }

    /// "30 hours (31 hours when the clocks change)".
    /// - Parameter change: the greatest change of the clocks; zero if they don't change.
    public func words(clockChange change: Duration) -> String {
        change > .zero ? "\(words) (\((self + change).words) when the clocks change)" : words
    }

    /// "2 h", "30 min", each without a line break.
    public var shortWords: String {
        let minutes = components.seconds / 60
        return minutes.isMultiple(of: 60) ? "\(minutes / 60)\u{a0}h" : "\(minutes)\u{a0}min"
    }

    private static func count(_ number: Int64, _ unit: String) -> String {
        number == 1 ? "1 \(unit)" : "\(number) \(unit)s"
    }
}
