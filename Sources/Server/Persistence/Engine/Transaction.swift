import Domain
import Foundation

/// A running write transaction: a connection, and the notices to publish after its commit.
public final class Transaction: SQLConnection {
    private let connection: any SQLConnection
    private let moment: Date?
    public var now: Date { moment ?? connection.now }
    public internal(set) var outbox = Outbox()
    /// Alerts whose next call couldn't be brought forward, because another transaction has locked
    /// the owner. The engine brings it forward after the commit.
    public internal(set) var missedCalls: Set<AlertKey> = []
    private var appended: [(user: UserID, event: EncodedEvent)] = []
    private var shortenedLogs: Set<UserID> = []
    private let notesCopyChanges: Bool
    private var changedCopies: Set<UserID> = []

    /// - Parameters:
    ///   - now: the time of the transaction; nil to use the connection's time.
    ///   - notesCopyChanges: see `noteCopyChange`. nil to do as `connection` does.
    init(_ connection: any SQLConnection, now: Date? = nil, notesCopyChanges: Bool? = nil) {
        self.connection = connection
        moment = now
        self.notesCopyChanges =
            notesCopyChanges ?? (connection as? Transaction)?.notesCopyChanges ?? false
    }

    @discardableResult
    public func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try connection.execute(sql, values)
    }

    public func send(_ sql: String, _ values: [SQLValue]) throws {
        try connection.send(sql, values)
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

    /// Deletes a user's log, with the events that this transaction has appended so far.
    public func deleteEvents(of user: UserID) throws {
        appended.removeAll { $0.user == user }
        shortenedLogs.remove(user)
        try connection.deleteEvents(of: user)
    }

    public func pruneEvents(_ newest: [(user: UserID, number: Int64)], until time: Date) throws {
        try connection.pruneEvents(newest, until: time)
    }

    /// Deletes the old events of these logs at the end of the transaction. Keeps the events that
    /// this transaction appends, and the newest earlier event, because its number gives the next
    /// one. Devices that are behind load everything again.
    func shortenLogs(of people: [UserID]) { shortenedLogs.formUnion(people) }

    /// Appends an event to a user's log. The event gets its sequence number at the end of the
    /// transaction.
    public func append(_ event: UserEvent, to user: UserID) throws {
        try append(EncodedEvent(event), to: user)
    }

    public func append(_ event: EncodedEvent, to user: UserID) throws {
        appended.append((user, event))
    }

    /// Writes the appended events before the commit. Orders the users, so that two transactions
    /// can't deadlock.
    func finish() throws {
        try saveCopyChanges(of: changedCopies)
        changedCopies = []
        guard !appended.isEmpty || !shortenedLogs.isEmpty else { return }
        let numbers = try appended.isEmpty ? [] : connection.append(appended, at: now)
        outbox.events += zip(appended, numbers).map { appended, number in
            StoredEvent(
                userID: appended.user, sequence: number, kind: appended.event.kind,
                data: appended.event.data, notificationID: appended.event.notificationID)
        }
        try deleteOldEvents(besides: zip(appended, numbers).map { ($0.user, $1) })
        shortenedLogs = []
        appended = []
    }

    /// Deletes old events from one log after the other, in the order of the users. Runs after
    /// `append`, which locks the counters of the logs, so that two transactions can't deadlock.
    private func deleteOldEvents(besides new: [(user: UserID, number: Int64)]) throws {
        // Pruning at every sixteenth event is enough.
        let grown = Dictionary(
            new.filter { $0.number.isMultiple(of: 16) }.map { ($0.user, $0.number) },
            uniquingKeysWith: max)
        let first = Dictionary(new.map { ($0.user, $0.number) }, uniquingKeysWith: min)
        for user in shortenedLogs.union(grown.keys).sorted() {
            if shortenedLogs.contains(user) {
                try shortenLog(of: user, before: first[user])
            } else if let number = grown[user] {
                try connection.pruneEvents(
                    [(user, number)], until: now.adding(.zero - EventRules.kept))
                guard number > EventRules.limit else { continue }
                try execute(
                    "DELETE FROM events WHERE user_id = $1 AND sequence <= $2",
                    [.id(user), .integer(number - EventRules.limit)])
            }
        }
    }

    /// Runs `body` in a savepoint, so that a failure undoes only `body`, and returns its error.
    /// Throws errors that the row didn't cause (`isOfTheDisk`), because other rows would fail, too.
    public func isolated(_ body: () throws -> Void) throws -> (any Error)? {
        let (outboxBefore, appendedBefore) = (outbox, appended)
        let (copiesBefore, shortenedBefore) = (changedCopies, shortenedLogs)
        try execute("SAVEPOINT isolated", [])
        do {
            try body()
            try execute("RELEASE isolated", [])
            return nil
        } catch {
            (outbox, appended) = (outboxBefore, appendedBefore)
            (changedCopies, shortenedLogs) = (copiesBefore, shortenedBefore)
            if let failure = error as? DatabaseError, failure.isOfTheDisk { throw failure }
            // The first rollback may throw the error of an earlier statement whose result wasn't
            // awaited.
            _ = try? execute("ROLLBACK TO isolated", [])
            try execute("ROLLBACK TO isolated", [])
            try execute("RELEASE isolated", [])
            return error
        }
    }

    /// Records that something is due at `time`, which may be earlier than the deadline monitor's
    /// next run.
    public func wakeDeadlineMonitor(at time: Date?) {
        guard let time else { return }
        outbox.nextDue = min(outbox.nextDue ?? time, time)
    }

    public func wakeDelivery() { outbox.hasDeliveries = true }

    /// Records that this transaction changes what the copy at Google has of a person. Does nothing
    /// if the server keeps no copy.
    public func noteCopyChange(of user: UserID) {
        if notesCopyChanges { changedCopies.insert(user) }
    }

    public func noteReach(of user: UserID) { outbox.changedReach.insert(user) }

    /// Notes that a message to the person has failed for good, perhaps the last one about an alert.
    public func noteFailedMessage(to user: UserID) { outbox.failedMessages.insert(user) }

    /// Notes that the person has muted or unmuted pings. No channel changes.
    public func notePings(of user: UserID) { outbox.changedPings.insert(user) }

    /// Records that the person's other devices show an old deadline or an alert that has ended.
    /// - Parameter session: the session of the device that acted; nil if no device did.
    public func noteStaleDevices(of user: UserID, besides session: SessionID?) {
        outbox.staleDevices.append(StaleDevices(user: user, besides: session))
    }

    public func forget(session: SessionID) { outbox.endedSessions.append(session) }

    /// Records that the session's old tokens become invalid with this commit.
    public func forgetTokens(of session: SessionID) { outbox.renewedSessions.append(session) }
}

/// An event with its payload encoded once for all recipients.
public struct EncodedEvent: Sendable {
    public let kind: UserEvent.Kind
    public let data: String
    public let notificationID: NotificationID?
    let checkIn: UserEvent.CheckInSummary?

    public init(_ event: UserEvent) throws {
        kind = event.kind
        data = try event.data()
        notificationID = if case .notification(let item) = event { item.id } else { nil }
        checkIn = if case .checkIn(let summary) = event { summary } else { nil }
    }
}

public struct StaleDevices: Equatable, Sendable {
    public var user: UserID
    /// The session of the device that acted; nil if no device did.
    public var besides: SessionID?

    public init(user: UserID, besides: SessionID?) {
        self.user = user
        self.besides = besides
    }
}

/// Notices to publish after the commit. They are hints: no data may depend on them.
public struct Outbox: Sendable {
    public var events: [StoredEvent] = []
    public var nextDue: Date?
    public var hasDeliveries = false
    public var endedSessions: [SessionID] = []
    public var renewedSessions: [SessionID] = []
    public var changedReach: Set<UserID> = []
    public var changedPings: Set<UserID> = []
    /// The recipients of messages about alerts that may have failed for good.
    public var failedMessages: Set<UserID> = []
    public var staleDevices: [StaleDevices] = []

    public var changedSessions: [SessionID] { endedSessions + renewedSessions }

    public init() {}

    mutating func merge(_ other: Outbox) {
        events += other.events
        if let due = other.nextDue { nextDue = min(nextDue ?? due, due) }
        hasDeliveries = hasDeliveries || other.hasDeliveries
        endedSessions += other.endedSessions
        renewedSessions += other.renewedSessions
        changedReach.formUnion(other.changedReach)
        changedPings.formUnion(other.changedPings)
        failedMessages.formUnion(other.failedMessages)
        staleDevices += other.staleDevices
    }
}
