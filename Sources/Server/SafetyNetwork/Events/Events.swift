import Domain
import Foundation
import Persistence

/// The streams of events to people's devices.
public struct Events: Commands {
    public let core: Core

    /// Where a stream starts.
    public enum StreamStart: Equatable, Sendable {
        /// Continue after this event.
        case resume(after: Int64)
        /// Events were missed: reload everything, then continue after this event.
        case reload(after: Int64)
    }

    /// Returns where a stream starts. Call this function after the stream has begun to listen: the
    /// function notices a session that has already ended, and the listener is told if the session
    /// ends later. Throws `unauthenticated` if the session is over.
    /// - Parameter lastEventID: the last event the client has; nil for a first connection.
    public func streamStart(for caller: Caller, lastEventID: Int64?) async throws -> StreamStart {
        let range = try await database.read { connection in
            guard try connection.hasSession(caller) else { throw CommandError.sessionOver }
            return try connection.eventRange(of: caller.userID)
        }
        let newest = range?.upperBound ?? 0
        guard let lastEventID else { return .resume(after: newest) }
        let oldest = range?.lowerBound ?? 1
        return lastEventID <= newest && lastEventID >= oldest - 1
            ? .resume(after: lastEventID) : .reload(after: newest)
    }

    /// True if several servers share the database. Another server may then end a session, and crash
    /// before it tells this one.
    public var hasSiblings: Bool { database.isShared }

    /// Returns the caller's events after this sequence number; nil if the session has ended.
    public func eventsIfOpen(of caller: Caller, after sequence: Int64, limit: Int) async throws
        -> [StoredEvent]?
    {
        try await database.read { connection in
            guard try connection.hasSession(caller) else { return nil }
            return try connection.events(of: caller.userID, after: sequence, limit: limit)
        }
    }

    public func events(of user: UserID, after sequence: Int64, limit: Int) async throws
        -> [StoredEvent]
    {
        try await database.read { try $0.events(of: user, after: sequence, limit: limit) }
    }

    /// Records in the ledger that these notifications were sent on a stream.
    public func markStreamed(_ items: [(user: UserID, notification: NotificationID)]) async throws {
        try await database.write(about: .none) { try $0.markStreamed(items) }
    }
}
