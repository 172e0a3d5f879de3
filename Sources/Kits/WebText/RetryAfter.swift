import Foundation

/// Parses the header `Retry-After` (RFC 9110, section 10.2.3).
public enum RetryAfter {
    /// The longest delay that a caller should accept. An answer must not silence a device, or stop
    /// its messages, for days.
    public static let limit: Duration = .seconds(86_400)

    /// Returns the requested delay, which may exceed `limit`; zero for a past time; nil if the
    /// value is missing or invalid.
    /// - Parameter now: the time that a date is compared with; nil to ignore dates.
    public static func wait(_ value: String?, now: Date?) -> Duration? {
        guard let value = value?.trimmingCharacters(in: .whitespaces), value.utf8.count <= 64 else {
            return nil
        }
        if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // A number that overflows is a long delay, too.
            return .seconds(Int64(value) ?? .max)
        }
        guard let now, let date = HTTPDate.date(value) else { return nil }
        return .seconds(max(date.timeIntervalSince(now).rounded(.up), 0))
    }

    /// Returns the requested delay, shortened to `limit`; zero if the value is missing or invalid.
    /// - Parameter now: see `wait`.
    public static func pause(_ value: String?, now: Date?) -> Duration {
        min(wait(value, now: now) ?? .zero, limit)
    }
}
