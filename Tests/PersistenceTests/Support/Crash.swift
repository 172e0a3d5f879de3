import Foundation

@testable import Persistence

/// A connection that runs an action before one of its statements.
final class Crash: SQLConnection {
    private let base: any SQLConnection
    private let action: () throws -> Void
    private var statementsLeft: Int
    var hasHappened: Bool { statementsLeft < 0 }
    var now: Date { base.now }

    init(_ base: any SQLConnection, at step: Int, _ action: @escaping () throws -> Void) {
        self.base = base
        self.action = action
        statementsLeft = step
    }

    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        if statementsLeft == 0, sql != "ROLLBACK" {
            statementsLeft = -1
            try action()
        }
        statementsLeft -= 1
        return try base.execute(sql, values)
    }

    func query<Value>(_ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value)
        throws -> [Value]
    {
        try base.query(sql, values, read)
    }
}
