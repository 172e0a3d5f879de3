import Foundation

/// A signed-in device, as its user sees it.
public struct Session: Codable, Equatable, Sendable, Identifiable {
    public var id: SessionID
    public var deviceName: String
    public var createdAt: Date
    public var lastUsedAt: Date
    /// True for the session that made the request.
    public var isCurrent: Bool

    public init(
        id: SessionID, deviceName: String, createdAt: Date, lastUsedAt: Date, isCurrent: Bool
    ) {
        self.id = id
        self.deviceName = deviceName
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.isCurrent = isCurrent
    }
}

/// The caller of a request. An access token proves who it is, never the request's body.
public struct Caller: Equatable, Hashable, Sendable {
    public var userID: UserID
    public var sessionID: SessionID

    public init(userID: UserID, sessionID: SessionID) {
        self.userID = userID
        self.sessionID = sessionID
    }
}
