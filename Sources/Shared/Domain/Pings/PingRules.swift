import Foundation

public enum PingRules {
    /// A pending ping expires after this time (product.md, "Pings").
    public static let lifetime: Duration = .hours(24)
    /// How many newest pings of a pair are kept. A pending ping always stays.
    public static let kept = 50

    public static func isExpired(createdAt: Date, at now: Date) -> Bool {
        now >= createdAt.adding(lifetime)
    }

    /// Returns true if a check-in answers the ping. A check-in from before the ping doesn't. The
    /// device's clock and the server's may differ by `CheckInRules.clockSkew`.
    public static func isAnswered(byCheckInAt moment: Date, createdAt: Date) -> Bool {
        createdAt <= moment.adding(CheckInRules.clockSkew)
    }

    /// Returns when the person answered the ping. An answer can't be older than its ping. If a
    /// wrong clock says so, the ping's time counts.
    public static func answerTime(pressedAt: Date, createdAt: Date) -> Date {
        max(pressedAt, createdAt)
    }

    /// Throws `permissionDenied` unless the caller watches over the person.
    /// - Parameter roles: the dependent's roles for the caller.
    public static func check(_ roles: ContactRoles) throws(CommandError) {
        guard roles.isDependent else {
            throw .permissionDenied(RefusalWords.ping.detail)
        }
    }
}
