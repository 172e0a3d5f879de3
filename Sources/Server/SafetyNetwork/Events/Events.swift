import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    /// The position of a stream when it begins.
    public enum StreamStart: Equatable, Sendable {
        /// Goes on after this event.
        case resume(after: Int64)
        /// Events in between are missing: load everything anew, then go on after this event.
        case reload(after: Int64)
    }

    /// Asked for when the stream is listening already: a session that ended before that is noticed
    /// here, and one that ends later is told to the listener. Throws `unauthenticated` when the
    /// session is over.
    /// - Parameter lastEventID: the last event the client has; nil for a first connection.
    public func streamStart(for caller: Caller, lastEventID: Int64?) async throws -> StreamStart {
        let range = try await database.read { connection in
            guard try connection.hasSession(caller) else { throw Self.sessionOver }
            return try connection.eventRange(of: caller.userID)
        }
        let newest = range?.upperBound ?? 0
        guard let lastEventID else { return .resume(after: newest) }
        let oldest = range?.lowerBound ?? 1
        return lastEventID <= newest && lastEventID >= oldest - 1
            ? .resume(after: lastEventID) : .reload(after: newest)
    }

    /// True if other servers may end a session, and die before they tell this one.
    public var hasSiblings: Bool { database.isShared }

    /// nil when the caller's session has ended.
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

    /// Enters in the ledger that these notifications have left on a stream.
    public func markStreamed(_ items: [(user: UserID, notification: NotificationID)]) async throws {
        try await database.write(about: .none) { try $0.markStreamed(items) }
    }
}
