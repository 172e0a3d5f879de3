import Domain
import Foundation

/// A look at a database that changes nothing.
public struct PostgreSQLInspection: Sendable {
    /// The server's version, as in `15.18`.
    public let version: String
    /// 0 for an empty database.
    public let schemaVersion: Int
    /// How many connections are free for users like this one.
    public let freeConnections: Int
    public let replicas: AwaitedReplicas
    /// The database's time minus that of this machine.
    public let clockGap: Duration
    public let keyFingerprint: Int64?
    /// The private key of Web Push, encrypted with the servers' key; nil if there is none yet.
    public let sealedPushKey: Data?
    /// Text messages that wait for another try, by the reason of the last one.
    public let retryingTexts: [String: Int]
    /// Paid messages of today.
    public let spending: [DeliveryChannel: Int]

    /// Throws `DatabaseError`, also for the database of another program and for a newer schema.
    public init(_ address: PostgreSQLAddress, now: @escaping @Sendable () -> Date) throws {
        let connection = try PostgreSQLConnection(address, limits: .init())
        connection.startReading(by: now)
        try PostgreSQLSchema.checkIsOurs(connection, address)
        let clock = PostgreSQLClock(monotonic: { .milliseconds(now().milliseconds) })
        try clock.look(at: connection)
        clockGap = clock.now().since(now())
        version = try connection.value("SELECT current_setting('server_version')", []) ?? ""
        schemaVersion = try Migrator.version(connection, dialect: .postgreSQL)
        freeConnections = try connection.freeConnections()
        replicas = try connection.awaitedReplicas()
        guard schemaVersion == Migrator.newest else {
            (keyFingerprint, sealedPushKey) = (nil, nil)
            (retryingTexts, spending) = ([:], [:])
            return
        }
        keyFingerprint = try connection.serverState().keyFingerprint
        sealedPushKey = try connection.sealed(.pushKey)
        retryingTexts = try connection.retryingDeliveries(.sms)
        spending = try connection.spending()
    }

    /// The schema of this program.
    public static var newestSchema: Int { Migrator.newest }
}

/// The replicas that each commit waits for.
public enum AwaitedReplicas: Sendable, Equatable {
    /// `synchronous_standby_names` is empty.
    case none
    /// There are some, or should be, and this role may not see them.
    case hidden
    /// So many are connected; without one, no commit ends.
    case connected(Int)
}

extension PostgreSQLConnection {
    /// Ordinary roles see that others are connected, and not what kind of connection it is; the
    /// server's own processes have no database.
    fileprivate func freeConnections() throws -> Int {
        try count(
            """
            SELECT current_setting('max_connections')::bigint
                - current_setting('superuser_reserved_connections')::bigint
                - COALESCE(current_setting('reserved_connections', true), '0')::bigint
                - COUNT(*)
            FROM pg_stat_activity
            WHERE backend_type = 'client backend' OR (backend_type IS NULL AND datid IS NOT NULL)
            """, [])
    }

    fileprivate func awaitedReplicas() throws -> AwaitedReplicas {
        let names: String? = try value("SELECT current_setting('synchronous_standby_names')", [])
        guard names?.isEmpty == false else { return .none }
        guard try maySeeReplicas() else { return .hidden }
        return .connected(
            try count(
                "SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')",
                []))
    }

    /// `pg_monitor` is a member of this role.
    func maySeeReplicas() throws -> Bool {
        try hasRow("SELECT 1 WHERE pg_has_role('pg_read_all_stats', 'USAGE')", [])
    }
}
