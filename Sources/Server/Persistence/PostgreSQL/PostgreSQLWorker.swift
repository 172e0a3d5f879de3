import Domain
import Synchronization

/// Owns one thread's connection and replaces it when it is broken.
final class PostgreSQLWorker {
    typealias Connect = @Sendable () throws(DatabaseError) -> PostgreSQLConnection

    private let connect: Connect
    private let silences: PostgreSQLSilences
    private var connection: PostgreSQLConnection?
    private var silencesBefore = 0
    /// True if the connection timed out when probed. Other connections may then be dead as well.
    private(set) var didNotAnswer = false

    init(_ connect: @escaping Connect, _ silences: PostgreSQLSilences) {
        self.connect = connect
        self.silences = silences
    }

    /// The connection, if it works. After a timeout of another connection, this one must first
    /// answer a probe. A broken connection is closed even if it isn't replaced soon.
    var usable: PostgreSQLConnection? {
        didNotAnswer = false
        guard let connection else { return nil }
        if connection.isSilent { silences.note(after: silencesBefore) }
        let silences = silences.count
        guard connection.isAlive else {
            close()
            return nil
        }
        if silencesBefore != silences, !connection.answers() {
            didNotAnswer = connection.isSilent
            close()
            return nil
        }
        silencesBefore = silences
        return connection
    }

    /// True if the broken connection may be kept until its commit has ended.
    var hasLateCommit: Bool { connection?.hasLateCommit == true }

    private func close() {
        if !hasLateCommit { connection = nil }
    }

    /// Replaces a broken connection. Throws `DatabaseError.unreachable`. It also throws while the
    /// server still works on a commit of the broken connection, because otherwise commits that wait
    /// for a replica would use up the server's connections.
    func reconnect() throws(DatabaseError) {
        let silences = silences.count
        close()
        let new = try connect()
        if let connection, connection.isCommitting(seenFrom: new) {
            throw new.commitsAreLate
        }
        connection = new
        silencesBefore = silences
    }
}

/// The number of timeouts of one server. A machine that is cut off answers on none of its
/// connections, so after the first timeout each other connection must answer a probe before it is
/// used again.
final class PostgreSQLSilences: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    /// Records a timeout.
    /// - Parameter before: the count when the connection was made. Timeouts of connections made at
    ///   the same count are recorded once.
    func note(after before: Int) {
        state.withLock { if $0 == before { $0 += 1 } }
    }
}
