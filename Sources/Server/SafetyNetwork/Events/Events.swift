import Domain
import Foundation
import Persistence

public struct Events: Commands {
    public let core: Core

    public enum StreamStart: Equatable, Sendable {
        case resume(after: Int64)
        /// Events were missed. Reload everything, then continue after this event.
        case reload(after: Int64)
    }

    /// Returns where a stream starts. Throws `unauthenticated` if the session is over. Call this
    /// after the stream has begun to listen. Otherwise, the end of the session could come in
    /// between and go unnoticed.
    /// - Parameter lastEventID: the last event that the client has; nil for a first connection.
    public func streamStart(for caller: Caller, lastEventID: Int64?) async throws -> StreamStart {
        let range = try await database.read { connection in
            try checkSession(of: caller, in: connection)
            return try connection.eventRange(of: caller.userID)
        }
        let newest = range?.upperBound ?? 0
        guard let lastEventID else { return .resume(after: newest) }
        let oldest = range?.lowerBound ?? 1
        return lastEventID <= newest && lastEventID >= oldest - 1
            ? .resume(after: lastEventID) : .reload(after: newest)
    }

    /// True if several servers share the database. Another server may end a session and crash
    /// before it tells this one.
    public var hasSiblings: Bool { database.isShared }

    /// Returns the caller's events after this sequence number; nil if the session is over.
    public func eventsIfOpen(of caller: Caller, after sequence: Int64, limit: Int) async throws
        -> EventPage?
    {
        try await database.read { connection in
            guard try connection.hasSession(caller) else { return nil }
            return try connection.events(of: caller.userID, after: sequence, limit: limit)
        }
    }

    public func events(of user: UserID, after sequence: Int64, limit: Int) async throws
        -> EventPage
    {
        try await database.read { try $0.events(of: user, after: sequence, limit: limit) }
    }

    /// Records in the ledger that a stream carried these notifications.
    public func markStreamed(_ items: [(user: UserID, notification: NotificationID)]) async throws {
        try await database.write(about: .none) { try $0.markStreamed(items) }
    }
}
