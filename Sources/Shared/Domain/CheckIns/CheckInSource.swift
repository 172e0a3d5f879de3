import Foundation

/// A button, tag or program that checks in for a person without the app (product.md, "Sources").
public struct CheckInSource: Codable, Equatable, Sendable, Identifiable {
    public var id: SourceID
    public var name: String
    public var createdAt: Date
    /// nil before the first use.
    public var lastUsedAt: Date?

    public init(id: SourceID, name: String, createdAt: Date, lastUsedAt: Date? = nil) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

/// A source as its owner first sees it. The server can't show the address again.
public struct NewSource: Codable, Equatable, Sendable {
    public var source: CheckInSource
    /// The URL that a POST checks in by. It contains a secret that the server doesn't store.
    public var address: URL

    public init(source: CheckInSource, address: URL) {
        self.source = source
        self.address = address
    }
}

public enum SourceRules {
    /// The most sources of a person.
    public static let limit = 10
    public static let nameLength = 1...40
    /// The shortest time between two check-ins by one source.
    public static let betweenUses: Duration = .minutes(1)
    /// How long a source that was used daily may be silent before its owner is told.
    public static let silentAfter: Duration = .days(silentDays)
    static let silentDays = 7
    /// A source counts as used daily if it was used on this many of the days of its habit.
    static let daysOfUse = 5

    /// Returns the name to store. Throws `invalidArgument` for a name that is empty, invisible, too
    /// long, or has line breaks.
    public static func name(_ text: String) throws(CommandError) -> String {
        let name = ProfileRules.trimmedName(text)
        guard isStorable(name), ProfileRules.hasPlainCharacters(name) else {
            throw .invalidArgument(field: "name", RefusalWords.sourceName.message)
        }
        return name
    }

    /// Returns true for a name that this or an older server may have stored.
    public static func isStorable(_ name: String) -> Bool {
        nameLength.contains(name.count)
            && name.unicodeScalars.count <= 4 * nameLength.upperBound
            && name == name.trimmingCharacters(in: .whitespacesAndNewlines)
            && ProfileRules.isOnOneLine(name) && ProfileRules.isVisible(name)
    }

    /// Returns the wait before the next use; nil if the source may be used now. A last use in the
    /// future comes from a wrong clock, and causes no wait.
    public static func wait(lastUsedAt: Date?, at now: Date) -> Duration? {
        guard let lastUsedAt, lastUsedAt <= now else { return nil }
        let wait = lastUsedAt.adding(betweenUses).since(now)
        return wait > .zero ? wait : nil
    }

    /// Returns the answer to a check-in by a source, which a program shows or speaks.
    public static func answer(to record: CheckInRecord) -> TimedText {
        guard let deadline = record.nextCheckInTime else {
            return "Recorded. You have no deadlines."
        }
        guard let opening = record.opensAt else {
            return "Recorded. Next check-in by \(clock: deadline)."
        }
        return "Recorded. Your check-in for \(clock: deadline) opens at \(clock: opening)."
    }
}

/// The days on which a source was used, in its owner's time zone.
public struct SourceHabit: Equatable, Sendable {
    /// The day of the last use, as days since 1 January 1970.
    public var lastDay: Int
    /// The seven days before the last use, one bit each. Bit 0 is the day before.
    public var daysBefore: Int

    public init(lastDay: Int, daysBefore: Int = 0) {
        self.lastDay = lastDay
        self.daysBefore = daysBefore
    }

    /// The number of days before the last use that count.
    static let length = 7

    /// True if the source was used daily before its last use.
    public var isDaily: Bool { daysBefore.nonzeroBitCount >= SourceRules.daysOfUse }

    /// Returns the habit after a use.
    /// - Parameters:
    ///   - habit: nil before the first use.
    ///   - zone: the owner's time zone; nil for UTC.
    public static func after(_ habit: SourceHabit?, useAt moment: Date, in zone: ClockZone?) -> Self
    {
        let day = zone?.day(of: moment) ?? CalendarDay.number(moment, offset: 0)
        guard let habit else { return Self(lastDay: day) }
        let passed = day - habit.lastDay
        // A flight to the west repeats a day.
        if passed == 0 || passed == -1 { return habit }
        guard (1...length).contains(passed) else { return Self(lastDay: day) }
        let days = (habit.daysBefore << passed) | (1 << (passed - 1))
        return Self(lastDay: day, daysBefore: days & ((1 << length) - 1))
    }

    /// Returns when to tell the owner that the source is silent; nil if it wasn't used daily.
    public func silentAt(lastUsedAt: Date) -> Date? {
        isDaily ? lastUsedAt.adding(SourceRules.silentAfter) : nil
    }
}
