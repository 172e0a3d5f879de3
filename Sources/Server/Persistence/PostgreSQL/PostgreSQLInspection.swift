import Domain
import Foundation

/// The result of a read-only inspection of a database.
public struct PostgreSQLInspection: Sendable {
    /// The server's version, such as `15.18`.
    public let version: String
    /// The schema version; 0 for an empty database.
    public let schemaVersion: Int
    /// The number of free connections for roles without special privileges.
    public let freeConnections: Int
    /// The number of used connections that LifeSignal on this machine holds to this database, the
    /// inspection's own included. They are free once its server stops.
    public let ownConnections: Int
    public let replicas: AwaitedReplicas
    /// The database's time minus this machine's time.
    public let clockGap: Duration
    public let keyFingerprint: Int64?
    /// The number of former server keys that are accepted; nil for none.
    public let formerKeys: Int64?
    /// The private key for Web Push, encrypted with the server key; nil if none exists yet.
    public let sealedPushKey: Data?
    /// The number of SMS that wait for a retry, by the reason of their last failure.
    public let retryingTexts: [String: Int]
    /// The number of paid messages sent today.
    public let spending: [DeliveryChannel: Int]
    /// The channels of the servers that run now.
    public let runningChannels: Set<DeliveryChannel>

    /// Throws `DatabaseError` if the database can't be reached, belongs to another program, or has
    /// a newer schema.
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
        ownConnections = try connection.ownConnections()
        replicas = try connection.awaitedReplicas()
        guard schemaVersion == Migrator.newest else {
            (keyFingerprint, formerKeys, sealedPushKey) = (nil, nil, nil)
            (retryingTexts, spending, runningChannels) = ([:], [:], [])
            return
        }
        let state = try connection.serverState()
        (keyFingerprint, formerKeys) = (state.keyFingerprint, state.formerKeys)
        runningChannels = state.runningChannels(at: clock.now())
        sealedPushKey = try connection.sealed(.pushKey)
        retryingTexts = try connection.retryingDeliveries(.sms)
        spending = try connection.spending()
    }

    public static var newestSchema: Int { Migrator.newest }
}

/// The replicas that each commit waits for.
public enum AwaitedReplicas: Sendable, Equatable {
    /// `synchronous_standby_names` is empty.
    case none
    /// Replicas are configured, but this role may not see how many are connected.
    case hidden
    /// This number of replicas is connected. If it is 0, commits never finish.
    case connected(Int)
}

extension PostgreSQLConnection {
    /// Counts the free connections. Ordinary roles don't see the type of other connections, so
    /// PostgreSQL's own processes are recognised by their lack of a database.
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

    /// Counts the connections with the role, name, database and address of this one. The
    /// address is NULL for a Unix socket.
    fileprivate func ownConnections() throws -> Int {
        try count(
            """
            SELECT COUNT(*) FROM pg_stat_activity
            WHERE usename = current_user AND datname = current_database()
                AND application_name = current_setting('application_name')
                AND client_addr IS NOT DISTINCT FROM inet_client_addr()
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

    /// True if the role may read replica statistics, for example as a member of `pg_monitor`.
    func maySeeReplicas() throws -> Bool {
        try hasRow("SELECT 1 WHERE pg_has_role('pg_read_all_stats', 'USAGE')", [])
    }
}
