import Foundation

public enum PingRules {
    /// A pending ping expires after this time (product.md, "Pings").
    public static let lifetime: Duration = .hours(24)
    /// How many newest pings of a pair are kept. A pending ping always stays.
    public static let kept = 50

    public static func isExpired(createdAt: Date, at now: Date) -> Bool {
        now >= createdAt.adding(lifetime)
    }

    /// Throws `permissionDenied` unless the caller watches over the person.
    /// - Parameter roles: the dependent's roles for the caller.
    public static func check(_ roles: ContactRoles) throws(CommandError) {
        guard roles.isDependent else {
            throw .permissionDenied(RefusalWords.ping.detail)
        }
    }
}
