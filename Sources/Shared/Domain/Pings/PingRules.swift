import Foundation

public enum PingRules {
    /// The time after which a pending ping expires (product.md, "Pings").
    public static let lifetime: Duration = .hours(24)
    /// The number of a pair's newest pings to keep; a pending one is always kept.
    public static let kept = 50

    public static func isExpired(createdAt: Date, at now: Date) -> Bool {
        now >= createdAt.adding(lifetime)
    }

    /// Throws `permissionDenied` if the caller doesn't watch over the person: a dependent can't
    /// ping a responder.
    /// - Parameter roles: the dependent's roles for the caller.
    public static func check(_ roles: ContactRoles) throws(CommandError) {
        guard roles.isDependent else {
            throw .permissionDenied(RefusalWords.ping.detail)
        }
    }
}
