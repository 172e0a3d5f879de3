import Domain
import Foundation
import HTTPServer
import Logging
import Persistence
import SafetyNetwork

/// The database of a running server, its clock, and the other servers of the same database.
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
    ///   - report: called after each commit.
    ///   - receive: called with what other servers have committed; with nil when they may have
    ///     committed anything.
    /// Throws `DatabaseError`.
    init(
        _ settings: ServeSettings, report: @escaping @Sendable (CommitReport) -> Void,
        receive: @escaping @Sendable (ServerHint?) -> Void
    ) throws {
        switch settings.database {
        case .file(let path):
            let clock = ServerClock.machine(trustsWall: settings.trustsClock)
            self.clock = clock
            engine = try SQLiteEngine(path: path, now: { clock.now() }, report: report)
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
                address, server: UUID(), clock: source, receive: receive)
            var options = PostgreSQLEngine.Options()
            options.connections = settings.databaseConnections
            let engine = try PostgreSQLEngine(address, options: options, now: { clock.now() }) {
                hints.send($0.outbox)
                report($0)
            }
            self.engine = engine
            others = Others(address: address, engine: engine, hints: hints)
        }
    }

    /// A loop that queries once a second for events whose hints were lost; nil for the only server.
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

    /// Called after `SafetyNetwork.wake`. Throws `DatabaseError` when a migration from SQLite has
    /// begun to fill the database meanwhile.
    func checkNoTransferHasBegun() throws {
        if let others { try Transfer.checkNoneIsUnfinished(at: others.address) }
    }

    /// Finishes what is waiting. Throws `DatabaseError`.
    func close() throws {
        // The last commits have something to tell.
        defer { others?.hints.close() }
        try engine.close()
    }
}
