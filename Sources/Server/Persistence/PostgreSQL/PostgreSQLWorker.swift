import Domain
import Synchronization

/// One thread's connection, which is replaced when it is broken.
final class PostgreSQLWorker {
    typealias Connect = @Sendable () throws(DatabaseError) -> PostgreSQLConnection

    private let connect: Connect
    private let silences: PostgreSQLSilences
    private var connection: PostgreSQLConnection?
    private var silencesBefore = 0

    init(_ connect: @escaping Connect, _ silences: PostgreSQLSilences) {
        self.connect = connect
        self.silences = silences
    }

    /// The connection, or a new one in place of a broken one. Throws `DatabaseError.unreachable`.
    func connected() throws(DatabaseError) -> PostgreSQLConnection {
        let silences = silences.count
        if let connection, !connection.isBroken, silencesBefore == silences { return connection }
        connection = nil
        let new = try connect()
        connection = new
        silencesBefore = silences
        return new
    }

    /// Rolls back after an error.
    func undo(_ connection: PostgreSQLConnection) {
        connection.rollBack()
        if connection.isSilent { silences.note(after: silencesBefore) }
    }
}

/// How often a server has not answered in time. A machine that was cut off answers on none of its
/// connections: after the first of them all are made anew, not each after a wait of its own.
final class PostgreSQLSilences: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    /// - Parameter before: the count when the connection was made: several that were made at the
    ///   same time count as one.
    func note(after before: Int) {
        state.withLock { if $0 == before { $0 += 1 } }
    }
}
