/// Parses RFC 3339 strictly. Foundation reads 30 February as 2 March, accepts 25:61, and ignores
/// text after the `Z`. A check-in could then count from a wrong moment.
struct TimestampReader {
    var rest: Substring.UTF8View

    /// Returns milliseconds since 1970 UTC; nil for any other text. Rounds a finer fraction.
    mutating func milliseconds() -> Int64? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"),
            let day = number(2), skip("T") || skip("t"),
            let hour = number(2), skip(":"), let minute = number(2), skip(":"),
            let second = number(2),
            let fraction = fraction(), let offset = offsetInMinutes(), rest.isEmpty,
            (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day), hour < 24,
            minute < 60, second <= 60
        else { return nil }
        let minutes =
            (Self.days(before: year, month) + day - 1) * 1440 + hour * 60 + minute - offset
        let seconds = minutes * 60 + second
        // A leap second occurs only at the end of a day in UTC.
        guard second < 60 || seconds % 86_400 == 0 else { return nil }
        return seconds * 1000 + fraction
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func digit() -> Int64? {
        guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
            return nil
        }
        rest = rest.dropFirst()
        return Int64(byte - UInt8(ascii: "0"))
    }

    private mutating func number(_ digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Returns milliseconds: 0 without a fraction, nil for a point without digits.
    private mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        guard var value = digit() else { return nil }
        for _ in 0..<3 { value = value * 10 + (digit() ?? 0) }
        while digit() != nil {}
        return (value + 5) / 10
    }

    private mutating func offsetInMinutes() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = number(2), skip(":"), let minutes = number(2),
            hours < 24, minutes < 60
        else {
            return nil
        }
        return (isWest ? -1 : 1) * (hours * 60 + minutes)
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        days(before: month == 12 ? year + 1 : year, month == 12 ? 1 : month + 1)
            - days(before: year, month)
    }

    /// Returns the days from 1 January 1970 to the first day of a month. Counts in years from
    /// March, so that leap days come last.
    static func days(before year: Int64, _ month: Int64) -> Int64 {
        let years = month > 2 ? year : year - 1
        let months = (month + 9) % 12
        return 365 * years + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5
            - 719_468
    }
}
