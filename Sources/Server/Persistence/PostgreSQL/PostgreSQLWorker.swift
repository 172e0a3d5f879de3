import Domain
import Synchronization

/// Owns one thread's connection, and replaces it when it is broken.
final class PostgreSQLWorker {
    typealias Connect = @Sendable () throws(DatabaseError) -> PostgreSQLConnection

    private let connect: Connect
    private let silences: PostgreSQLSilences
    private var connection: PostgreSQLConnection?
    private var silencesBefore = 0
    /// True if the last probe of the connection timed out.
    private(set) var didNotAnswer = false

    init(_ connect: @escaping Connect, _ silences: PostgreSQLSilences) {
        self.connect = connect
        self.silences = silences
    }

    /// The connection if it works, otherwise nil. After a timeout of any connection to the server,
    /// this connection must first answer a probe.
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

    /// True if the broken connection must be kept, because its commit may still be running.
    var hasLateCommit: Bool { connection?.hasLateCommit == true }

    private func close() {
        if !hasLateCommit { connection = nil }
    }

    /// Replaces a broken connection. Throws `DatabaseError.unreachable`, also while the server
    /// still works on the broken connection's commit. Otherwise commits that wait for a replica
    /// would use up the server's connections.
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

/// The number of timeouts of one server. A server that is cut off answers on none of its
/// connections. After a timeout, each other connection is therefore probed before its next use.
final class PostgreSQLSilences: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    /// Records a timeout.
    /// - Parameter before: the count when the connection was last known to work. Several timeouts
    ///   after the same count are recorded once.
    func note(after before: Int) {
        state.withLock { if $0 == before { $0 += 1 } }
    }
}
