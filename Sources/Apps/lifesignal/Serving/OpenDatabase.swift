import Domain
import Foundation
import HTTPServer
import Logging
import Persistence
import SafetyNetwork

/// The database of a running server, its clock, and its connection to other servers on the
/// same database.
struct OpenDatabase: Sendable {
    private struct Others: Sendable {
        let address: PostgreSQLAddress
        let engine: PostgreSQLEngine
        let hints: PostgreSQLHints
    }

    let engine: any DatabaseEngine
    let clock: ServerClock
    private let others: Others?

    /// - Parameters:
    ///   - mayMigrate: see `SQLiteEngine`.
    ///   - notesCopyChanges: see `SQLiteEngine`. nil to do as the settings say.
    ///   - report: called after each commit.
    ///   - receive: called with the hint of another server's commits, or with nil if hints may have
    ///     been lost.
    /// - Throws: `DatabaseError`, or `Failure` for a file whose data was moved to PostgreSQL.
    init(
        _ settings: ServeSettings, mayMigrate: Bool = true, notesCopyChanges: Bool? = nil,
        report: @escaping @Sendable (CommitReport) -> Void,
        receive: @escaping @Sendable (ServerHint?) -> Void
    ) throws {
        let notesCopyChanges = notesCopyChanges ?? (settings.firestore != nil)
        switch settings.database {
        case .file(let path):
            try MovedMark(path).check()
            let clock = ServerClock.machine(trustsWall: settings.trustsClock)
            self.clock = clock
            let beginning = BeginningAnew(path, settings)
            engine = try SQLiteEngine(
                path: path, mayCreate: beginning.isAllowed, mayMigrate: mayMigrate,
                now: { clock.now() }, notesCopyChanges: notesCopyChanges, report: report)
            beginning.end()
            others = nil
        case .postgreSQL(let address):
            let source = PostgreSQLClock(monotonic: { MachineClock.sinceBoot() })
            try source.start(address)
            let clock = ServerClock(
                wall: { source.now() }, monotonic: { MachineClock.sinceBoot() },
                isSynchronised: { source.isChecked },
                shared: ServerClock.Shared(isTrusted: settings.trustsClock))
            self.clock = clock
            let hints = PostgreSQLHints(
                address, server: .random(), clock: source, receive: receive)
            var options = PostgreSQLEngine.Options()
            options.connections = settings.databaseConnections
            options.notesCopyChanges = notesCopyChanges
            options.mayMigrate = mayMigrate
            let engine = try PostgreSQLEngine(address, options: options, now: { clock.now() }) {
                hints.send($0.outbox)
                report($0)
            }
            self.engine = engine
            others = Others(address: address, engine: engine, hints: hints)
        }
    }

    /// Returns a loop that reads, once a second, the events whose hints were lost. Returns nil for
    /// SQLite, because then no other server uses the database.
    func newsOfOthers(
        for hub: EventHub, now: @escaping @Sendable () -> Date, logger: Logger
    ) -> BackgroundLoop? {
        guard let engine = others?.engine else { return nil }
        return BackgroundLoop(
            "news of other servers", .init(now: now), logger: logger
        ) {
            hub.notice(try await engine.newestEvents(of: hub.people))
            return nil
        }
    }

    /// Throws `DatabaseError` if a migration from SQLite has begun to fill the database since this
    /// server started. Called after `ServerLife.wake`.
    func checkNoTransferHasBegun() throws {
        if let others { try Transfer.checkNoneIsUnfinished(at: others.address) }
    }

    func close() throws {
        // Closed after the engine, because the engine's last commits still send hints.
        defer { others?.hints.close() }
        try engine.close()
    }
}
