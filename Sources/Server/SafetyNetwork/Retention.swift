import Domain
import Foundation
import Persistence
import Synchronization

/// Deletes expired rows in small passes with pauses between them. It runs in a loop of its own, so
/// that it delays neither the deadline monitor nor check-ins.
public final class Retention: Sendable {
    /// Rows per pass. Deleting them takes the writer a few milliseconds.
    public static let rowsPerPass = 100
    /// How many people's logs a pass looks through for expired events.
    private static let logsPerPass = 500
    private static let pauseBetweenPasses: Duration = .milliseconds(50)
    private static let pauseWhileAnotherCleans: Duration = .seconds(30)
    private static let pauseAfterRound: Duration = .minutes(10)

    private let network: SafetyNetwork
    private let report: @Sendable (CleanUp, Int) -> Void
    private let next = Mutex(0)
    /// The last person whose log was looked through; nil before the first person.
    private let lastLog = Mutex<UserID?>(nil)

    /// - Parameter report: called after a pass with the kind and number of deleted or emptied rows.
    public init(
        _ network: SafetyNetwork, report: @escaping @Sendable (CleanUp, Int) -> Void = { _, _ in }
    ) {
        self.network = network
        self.report = report
    }

    /// Deletes expired rows of the next kind that has any. Kinds take turns, so that a backlog of
    /// one doesn't delay the others. Without expired rows, ends the relations of guests that no
    /// channel reaches, and deletes expired events. Returns when the next pass is due.
    @discardableResult
    public func pass() async throws -> Date {
        guard try await network.isResponsible(for: .cleanUp) else {
            return network.now().adding(Self.pauseWhileAnotherCleans)
        }
        let kinds = CleanUp.allCases
        let kept = network.options.retention
        for _ in kinds {
            // Advances first, so that a failing kind doesn't block the others.
            let kind = next.withLock { next in
                defer { next = (next + 1) % kinds.count }
                return kinds[next]
            }
            let deleted = try await network.database.write(about: .none) { transaction -> Int in
                // After a restore, a device that was away could bring back a journey without a row.
                if kind == .journeys, let restoration = try transaction.serverState().restoration,
                    transaction.now < restoration.end
                {
                    return try transaction.emptyEndedJourneys(
                        keeping: kept, limit: Self.rowsPerPass)
                }
                return try transaction.cleanUp(kind, keeping: kept, limit: Self.rowsPerPass)
            }
            guard deleted == 0 else {
                report(kind, deleted)
                return network.now().adding(Self.pauseBetweenPasses)
            }
        }
        // The worker that gives up a mailbox can't do this: it locks the mailbox's owner, but not
        // the owner's contacts.
        try await network.emailAddresses.partFromUnreachableGuests()
        let isMoreExpected = try await pruneLogs()
        return network.now().adding(isMoreExpected ? Self.pauseBetweenPasses : Self.pauseAfterRound)
    }

    /// Deletes expired events of the next people. Each write to a log deletes its expired events,
    /// but some logs get no further writes. Opens no transaction if no event has expired. Returns
    /// true after a deletion if people are left in this round.
    private func pruneLogs() async throws -> Bool {
        let last = lastLog.withLock { $0 }
        let (people, logs) = try await network.database.read { connection in
            let page = try connection.userIDs(after: last, limit: Self.logsPerPass)
            let end = connection.now.adding(.zero - EventRules.kept)
            return (page, try connection.expiredLogs(of: page, until: end))
        }
        // Takes logs until they have `rowsPerPass` events.
        var rows = 0
        let part = logs.prefix { log in
            defer { rows += log.length }
            return rows < Self.rowsPerPass
        }
        let isEnd = people.count < Self.logsPerPass && part.count == logs.count
        let reached = part.count < logs.count ? part.last?.user : people.last
        // Advances first, so that a failing log doesn't block the others.
        lastLog.withLock { $0 = isEnd ? nil : reached }
        guard !part.isEmpty else { return false }
        let newest = part.map { (user: $0.user, number: $0.newest) }
        try await network.database.write(about: .none) { transaction in
            try transaction.pruneEvents(
                newest, until: transaction.now.adding(.zero - EventRules.kept))
        }
        return !isEnd
    }
}
