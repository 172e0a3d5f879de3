import Foundation

/// A person's time zone, identified by its IANA name, such as `Europe/Berlin`.
public struct ClockZone: Hashable, Sendable {
    public let name: String
    private let zone: TimeZone

    /// Returns nil for text that isn't a zone's name and for zones that this machine doesn't know.
    /// Rejects UTC and the like, which servers and privacy-minded browsers report.
    public init?(_ name: String) {
        guard Self.looksLikeAPlace(name), let zone = TimeZone(identifier: name) else { return nil }
        self.name = name
        self.zone = zone
    }

    /// Returns the name of a typed zone, without regard to case and with spaces for underscores;
    /// other text as it is.
    public static func name(typed text: String) -> String {
        guard ClockZone(text) == nil else { return text }
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: "_").lowercased()
        let known = TimeZone.knownTimeZoneIdentifiers.first { $0.lowercased() == words }
        return known.flatMap { ClockZone($0)?.name } ?? text
    }

    /// Any zone, even UTC, for dates that need some zone.
    init(any zone: TimeZone) {
        name = zone.identifier
        self.zone = zone
    }

    /// The name of this device's zone; nil if it is UTC.
    public static var ofThisDevice: String? {
        ClockZone(TimeZone.autoupdatingCurrent.identifier)?.name
    }

    /// Returns the time of day for a message: `11:02 CET`, or `17:47 UTC+5:45` if the zone has no
    /// English abbreviation.
    public func time(_ date: Date) -> String {
        let offset = offset(at: date)
        return "\(Timestamp.timeOfDay(date, offset: offset)) \(abbreviation(at: date, offset))"
    }

    /// Returns seconds east of Greenwich.
    func offset(at date: Date) -> Int { zone.secondsFromGMT(for: date) }

    /// Returns true if the two clocks show different times.
    public func differs(from other: ClockZone, at date: Date) -> Bool {
        offset(at: date) != other.offset(at: date)
    }

    /// Returns the local day as days since 1 January 1970.
    func day(of date: Date) -> Int { CalendarDay.number(date, offset: offset(at: date)) }

    /// Returns the first and the last moment of a local time. They differ if the clock is set back
    /// and shows the time twice. A time that the clock skips moves forward by the gap.
    /// - Parameter minute: minutes after the day's midnight; negative on the day before.
    func moments(day: Int, minute: Int) -> (first: Date, last: Date) {
        let local = day * 86_400 + minute * 60
        func moment(_ offset: Int) -> Date {
            Date(milliseconds: Int64(local - offset) * 1000)
        }
        // An offset is at most 14 hours, so these are the offsets before and after a transition
        // near the local time.
        let (before, after) = (offset(at: moment(86_400)), offset(at: moment(-86_400)))
        let candidates = before == after ? [before] : [before, after]
        let shown = candidates.filter { offset(at: moment($0)) == $0 }.map(moment).sorted()
        return (shown.first ?? moment(before), shown.last ?? moment(before))
    }

    /// The greatest change of the offset in the year after this moment; zero if the clocks don't
    /// change.
    public func greatestChange(after moment: Date) -> Duration {
        var (greatest, next) = (0, moment)
        // Morocco changes its clocks four times in some years.
        for _ in 0..<4 {
            guard let change = zone.nextDaylightSavingTimeTransition(after: next),
                change.since(moment) < .days(366)
            else { break }
            let difference = offset(at: change) - offset(at: change.adding(.seconds(-1)))
            (greatest, next) = (max(greatest, abs(difference)), change)
        }
        return .seconds(greatest)
    }

    /// Returns the moment of a local date and time, such as "2026-11-28T08:00"; nil for other text.
    public func moment(ofLocalText text: String) -> Date? {
        guard text.utf8.count == 16, let date = Timestamp.date("\(text):00Z") else { return nil }
        let minutes = Int(date.milliseconds / 60_000)
        let (day, minute) = minutes.quotientAndRemainder(dividingBy: TimeOfDay.minutesPerDay)
        return moments(day: day, minute: minute).last
    }

    /// Returns the local date and time, such as "2026-11-28T08:00".
    public func localText(of date: Date) -> String {
        String(Timestamp.text(date.adding(.seconds(offset(at: date)))).prefix(16))
    }

    /// The most bytes of a name. The longest name of 2026 has 32.
    private static let longestName = 64

    private static func looksLikeAPlace(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= longestName && parts.count > 1 && parts[0] != "Etc"
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { byte in
                        let character = Character(UnicodeScalar(byte))
                        return byte < 0x80
                            && (character.isLetter || character.isNumber
                                || "_+-".contains(character))
                    }
            }
    }

    // MARK: Abbreviations

    /// English abbreviations differ by country: American English has EST, British CET, Australian
    /// AEST.
    private static let locales = ["en_US", "en_GB", "en_AU"].map { Locale(identifier: $0) }

    private func abbreviation(at date: Date, _ offset: Int) -> String {
        let isSummer = zone.isDaylightSavingTime(for: date)
        let style: TimeZone.NameStyle = isSummer ? .shortDaylightSaving : .shortStandard
        let names = Self.locales.lazy.compactMap { zone.localizedName(for: style, locale: $0) }
        let letters = names.first { name in
            name.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        }
        return letters ?? Self.difference(offset)
    }

    /// Returns `UTC+5:45`.
    private static func difference(_ offset: Int) -> String {
        let (hours, minutes) = (abs(offset) / 3600, abs(offset) / 60 % 60)
        let sign = offset < 0 ? "-" : "+"
        return "UTC\(sign)\(hours)" + (minutes == 0 ? "" : ":\(minutes < 10 ? "0" : "")\(minutes)")
    }
}
