import Domain
import Foundation
import Persistence

/// A test connection that changes some calls and forwards all others to a connection. `send` runs
/// `execute`, so that a wrapper sees its statements, too.
public protocol WrappingConnection: SQLConnection {
    var base: any SQLConnection { get }
}

extension WrappingConnection {
    public var now: Date { base.now }
    public var takesLists: Bool { base.takesLists }

    @discardableResult
    public func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try base.execute(sql, values)
    }

    public func query<Value>(
        _ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try base.query(sql, values, read)
    }

    public func tryLock(_ people: [UserID]) throws -> Set<UserID> { try base.tryLock(people) }

    public func append(
        _ events: [(user: UserID, event: EncodedEvent)], at time: Date
    ) throws -> [Int64] {
        try base.append(events, at: time)
    }

    public func deleteEvents(of user: UserID) throws { try base.deleteEvents(of: user) }

    public func insert(into table: String, _ columns: [String], _ rows: [[SQLValue]]) throws {
        try base.insert(into: table, columns, rows)
    }

    public func pruneEvents(
        _ newest: [(user: UserID, number: Int64)], until time: Date
    ) throws {
        try base.pruneEvents(newest, until: time)
    }
}
