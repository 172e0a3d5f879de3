import Domain
import Synchronization

/// One thread's connection, which is replaced when it is broken.
final class PostgreSQLWorker {
    typealias Connect = @Sendable () throws(DatabaseError) -> PostgreSQLConnection

    private let connect: Connect
    private let silences: PostgreSQLSilences
    private var connection: PostgreSQLConnection?
    private var silencesBefore = 0
    /// True after a connection that did not answer when it was asked: others may not either.
    private(set) var didNotAnswer = false

    init(_ connect: @escaping Connect, _ silences: PostgreSQLSilences) {
        self.connect = connect
        self.silences = silences
    }

    /// The connection if it works. After a silence of another one it has to answer first.
    var usable: PostgreSQLConnection? {
        didNotAnswer = false
        guard let connection else { return nil }
        if connection.isSilent { silences.note(after: silencesBefore) }
        let silences = silences.count
        guard connection.isAlive else { return nil }
        if silencesBefore != silences, !connection.answers() {
            didNotAnswer = connection.isSilent
            return nil
        }
        silencesBefore = silences
        return connection
    }

    /// True if the broken connection may be kept until its commit has ended.
    var hasLateCommit: Bool { connection?.hasLateCommit == true }

    /// Opens a connection in place of a broken one. Throws `DatabaseError.unreachable`, also while
    /// the server is at work on a commit of the broken one: commits that wait for a replica would
    /// use up the server's connections.
    func reconnect() throws(DatabaseError) {
        let silences = silences.count
        if !hasLateCommit { connection = nil }
        let new = try connect()
        if let connection, connection.isCommitting(seenFrom: new) {
            throw new.commitsAreLate
        }
        connection = new
        silencesBefore = silences
    }
}

/// How often a server has not answered in time. A machine that was cut off answers on none of its
/// connections: after the first silence each other one has to answer before it is used again.
final class PostgreSQLSilences: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    /// - Parameter before: the count when the connection was made: several that were made at the
    ///   same time count as one.
    func note(after before: Int) {
        state.withLock { if $0 == before { $0 += 1 } }
    }
}
