import Foundation

extension Date {
    /// Milliseconds since 1970 UTC, rounded to the nearest integer.
    var wholeMilliseconds: Int { Int((timeIntervalSince1970 * 1000).rounded()) }

    /// The time in RFC 3339, for the script, in UTC with milliseconds: `2026-01-31T08:00:00.000Z`.
    var wireText: String {
        .ofDigits { text in
            let time = append(day: &text)
            text.append("T")
            text.append(minuteOf: time)
            text.append(":")
            text.append(time / 1000 % 60, digits: 2)
            text.append(".")
            text.append(time % 1000, digits: 3)
            text.append("Z")
        }
    }

    /// The date and time of day in UTC: `2026-01-31 10:02 UTC`.
    var minuteText: String {
        .ofDigits { text in
            let time = append(day: &text)
            text.append(" ")
            text.append(minuteOf: time)
            for letter: Unicode.Scalar in [" ", "U", "T", "C"] { text.append(letter) }
        }
    }

    /// Appends the date. Returns the milliseconds since midnight.
    private func append(day text: inout DigitText) -> Int {
        let time = wholeMilliseconds.floored(by: 86_400_000)
        let (year, month, day) = Self.calendarDay(time.quotient)
        text.append(year, digits: 4)
        text.append("-")
        text.append(month, digits: 2)
        text.append("-")
        text.append(day, digits: 2)
        return time.rest
    }

    /// Returns the date of a day counted from 1970-01-01. Uses Howard Hinnant's `civil_from_days`.
    private static func calendarDay(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, ofEra) = (days + 719_468).floored(by: 146_097)
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let index = (5 * ofYear + 2) / 153
        let month = index < 10 ? index + 3 : index - 9
        let day = ofYear - (153 * index + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

extension Int {
    fileprivate func floored(by divisor: Int) -> (quotient: Int, rest: Int) {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
}

/// ASCII text, written directly into a string's buffer for speed. A page contains dozens of times,
/// and is rendered after each event.
private struct DigitText {
    let bytes: UnsafeMutableBufferPointer<UInt8>
    var count = 0

    mutating func append(_ letter: Unicode.Scalar) {
        bytes[count] = UInt8(truncatingIfNeeded: letter.value)
        count += 1
    }

    /// - Parameter time: Milliseconds since midnight.
    mutating func append(minuteOf time: Int) {
        append(time / 3_600_000, digits: 2)
        append(":")
        append(time / 60_000 % 60, digits: 2)
    }

    /// Appends a number with leading zeros. A year above 9999 gets more digits.
    mutating func append(_ number: Int, digits: Int) {
        var (limit, length) = (10, 1)
        while length < digits || number >= limit {
            limit *= 10
            length += 1
        }
        var rest = max(0, number)
        for index in (count..<count + length).reversed() {
            bytes[index] = 48 + UInt8(rest % 10)
            rest /= 10
        }
        count += length
    }
}

extension String {
    fileprivate static func ofDigits(_ write: (inout DigitText) -> Void) -> String {
        String(unsafeUninitializedCapacity: 40) { bytes in
            var text = DigitText(bytes: bytes)
            write(&text)
            return text.count
        }
    }
}
