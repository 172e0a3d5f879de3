import Foundation

/// "Are you fine?", from a responder to a dependent.
public struct PingRecord: Codable, Equatable, Sendable, Identifiable {
    public var id: PingID
    /// The responder who asks.
    public var responderID: UserID
    /// The dependent who is asked.
    public var dependentID: UserID
    public var createdAt: Date
    public var state: State
    /// The time when it was answered, cleared or expired; nil while it is pending.
    public var settledAt: Date?

    public enum State: String, GrowingEnum, Sendable, CaseIterable {
        /// A ping that waits for an answer is always `pending`; everything else is over.
        public static let fallback = expired

        case pending, answered, cleared, expired
    }

    public init(
        id: PingID, responderID: UserID, dependentID: UserID, createdAt: Date, state: State,
        settledAt: Date?
    ) {
        self.id = id
        self.responderID = responderID
        self.dependentID = dependentID
        self.createdAt = createdAt
        self.state = state
        self.settledAt = settledAt
    }
}

public enum PingRules {
    /// A pending ping expires after this (product.md, "Pings").
    public static let lifetime: Duration = .hours(24)

    public static func isExpired(createdAt: Date, at now: Date) -> Bool {
        now >= createdAt.adding(lifetime)
    }

    /// `roles` are the dependent's, as the asking user sees them. Throws `permissionDenied` when
    /// the caller does not watch over the person: a dependent can't ping a responder.
    public static func check(_ roles: ContactRoles) throws(CommandError) {
        guard roles.isDependent else {
            throw .permissionDenied("Only a responder can ping, and only their own dependent.")
        }
    }
}
