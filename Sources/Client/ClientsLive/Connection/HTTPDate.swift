import Domain
import Foundation

/// The date format of HTTP headers: `Fri, 15 Jan 2027 08:00:00 GMT` (RFC 9110, section 5.6.7).
enum HTTPDate {
    static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.isLenient = false
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text.trimmingCharacters(in: .whitespaces))
    }
}

/// The header `Retry-After`: seconds, or a date that is compared with the answer's own date.
enum RetryAfter {
    /// Longer waits are ignored. An answer must not silence a device for days.
    private static let limit: Duration = .seconds(86_400)

    static func wait(_ headers: [String: String]) -> Duration? {
        guard let value = headers["retry-after"]?.trimmingCharacters(in: .whitespaces) else {
            return nil
        }
        let wait: Duration
        if let seconds = Int64(value) {
            wait = .seconds(seconds)
        } else if let end = HTTPDate.date(value),
            let answered = headers["date"].flatMap(HTTPDate.date)
        {
            wait = max(end.since(answered), .zero)
        } else {
            return nil
        }
        return (.zero...limit).contains(wait) ? wait : nil
    }
}
