import Foundation

public struct PingRecord: Codable, Equatable, Sendable, Identifiable {
    public var id: PingID
    public var responderID: UserID
    public var dependentID: UserID
    public var createdAt: Date
    public var state: State
    /// When the ping was answered, cleared or expired; nil while pending.
    public var settledAt: Date?

    public enum State: String, GrowingEnum, Sendable, CaseIterable {
        /// An unknown state must not count as pending.
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
