import Domain
import Foundation

/// A running write transaction: a connection, and the notices to publish after the commit.
public final class Transaction: SQLConnection {
    private let connection: any SQLConnection
    private let moment: Date?
    public var now: Date { moment ?? connection.now }
    public internal(set) var outbox = Outbox()
    private var appended: [(user: UserID, event: EncodedEvent)] = []

    /// - Parameter now: the moment at which it begins; nil for the connection's.
    init(_ connection: any SQLConnection, now: Date? = nil) {
        self.connection = connection
        moment = now
    }

    @discardableResult
    public func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try connection.execute(sql, values)
    }

    public func tryLock(_ people: [UserID]) throws -> Set<UserID> {
        try connection.tryLock(people)
    }

    public var takesLists: Bool { connection.takesLists }

    public func insert(into table: String, _ columns: [String], _ rows: [[SQLValue]]) throws {
        try connection.insert(into: table, columns, rows)
    }

    public func query<Value>(
        _ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try connection.query(sql, values, read)
    }

    public func append(
        _ events: [(user: UserID, event: EncodedEvent)], at time: Date
    ) throws -> [Int64] {
        try connection.append(events, at: time)
    }

    public func deleteEvents(of user: UserID) throws { try connection.deleteEvents(of: user) }

    /// Adds an event to a user's log. It gets its number at the end of the transaction.
    public func append(_ event: UserEvent, to user: UserID) throws {
        try append(EncodedEvent(event), to: user)
    }

    public func append(_ event: EncodedEvent, to user: UserID) throws {
        appended.append((user, event))
    }

    /// Writes the events; called before the commit. All numbers are taken together and in
    /// the order of the users, so that two transactions with events for the same people never wait
    /// for each other.
    func finish() throws {
        guard !appended.isEmpty else { return }
        let numbers = try connection.append(appended, at: now)
        outbox.events += zip(appended, numbers).map { appended, number in
            StoredEvent(
                userID: appended.user, sequence: number, kind: appended.event.kind,
                data: appended.event.data, notificationID: appended.event.notificationID)
        }
        // Now and then is enough.
        let grown = zip(appended, numbers).filter { $1.isMultiple(of: 16) }
        if !grown.isEmpty {
            try connection.pruneEvents(
                grown.map { ($0.user, $1) }, until: now.adding(.zero - EventRules.kept))
        }
        appended = []
    }

    /// Runs `body` so that its failure undoes it alone. Returns the error, if there was one;
    /// rethrows when the disk or the file is at fault, which is nobody's row.
    public func isolated(_ body: () throws -> Void) throws -> (any Error)? {
        let (outboxBefore, appendedBefore) = (outbox, appended)
        try execute("SAVEPOINT isolated", [])
        do {
            try body()
            try execute("RELEASE isolated", [])
            return nil
        } catch {
            (outbox, appended) = (outboxBefore, appendedBefore)
            if let failure = error as? DatabaseError, failure.isOfTheDisk { throw failure }
            // The first answer may be the error of an earlier statement that nobody waited for.
            _ = try? execute("ROLLBACK TO isolated", [])
            try execute("ROLLBACK TO isolated", [])
            try execute("RELEASE isolated", [])
            return error
        }
    }

    /// Something is due at `time`: the deadline monitor may have to wake earlier than planned.
    public func wakeDeadlineMonitor(at time: Date?) {
        guard let time else { return }
        outbox.nextDue = min(outbox.nextDue ?? time, time)
    }

    public func wakeDelivery() { outbox.hasDeliveries = true }

    /// The session is over from the commit on.
    public func forget(session: SessionID) { outbox.endedSessions.append(session) }

    /// The session goes on with new tokens; the old ones are worthless from the commit on.
    public func forgetTokens(of session: SessionID) { outbox.renewedSessions.append(session) }
}

/// An event whose payload is encoded already, so that many people get it without encoding it again.
public struct EncodedEvent: Sendable {
    public let kind: UserEvent.Kind
    public let data: String
    public let notificationID: NotificationID?

    public init(_ event: UserEvent) throws {
        kind = event.kind
        data = try event.data()
        notificationID = if case .notification(let item) = event { item.id } else { nil }
    }
}

/// Notices after the commit. They are only hints: the rows are the truth.
public struct Outbox: Sendable {
    public var events: [StoredEvent] = []
    public var nextDue: Date?
    public var hasDeliveries = false
    public var endedSessions: [SessionID] = []
    public var renewedSessions: [SessionID] = []

    /// The sessions whose access tokens are not what they were.
    public var changedSessions: [SessionID] { endedSessions + renewedSessions }

    public init() {}

    mutating func merge(_ other: Outbox) {
        events += other.events
        if let due = other.nextDue { nextDue = min(nextDue ?? due, due) }
        hasDeliveries = hasDeliveries || other.hasDeliveries
        endedSessions += other.endedSessions
        renewedSessions += other.renewedSessions
    }
}
