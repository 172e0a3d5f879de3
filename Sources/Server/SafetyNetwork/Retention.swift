import Domain
import Foundation
import Persistence
import Synchronization

/// Deletes expired rows in small passes with pauses between them. Runs in a loop of its own:
/// neither the deadline monitor nor a check-in waits for it, and its failure stops nothing else.
public final class Retention: Sendable {
    /// The number of rows that a pass deletes. Deleting them takes the writer a few milliseconds.
    public static let rowsPerPass = 100
    private static let pauseBetweenPasses: Duration = .milliseconds(50)
    private static let pauseWhileAnotherCleans: Duration = .seconds(30)
    private static let pauseAfterRound: Duration = .minutes(10)

    private let network: SafetyNetwork
    private let report: @Sendable (CleanUp, Int) -> Void
    private let next = Mutex(0)

    /// - Parameter report: called with the kind and the number of rows that a pass has deleted.
    public init(
        _ network: SafetyNetwork, report: @escaping @Sendable (CleanUp, Int) -> Void = { _, _ in }
    ) {
        self.network = network
        self.report = report
    }

    /// Runs one pass over the next kind that has expired rows. When no kind has any, ends the
    /// relations of guests who have no channel left. Returns when the next pass is due. Kinds take
    /// turns, so that a backlog of one doesn't delay the others.
    @discardableResult
    public func pass() async throws -> Date {
        guard try await network.isResponsible(for: .cleanUp) else {
            return network.now().adding(Self.pauseWhileAnotherCleans)
        }
        let kinds = CleanUp.allCases
        let kept = network.options.retention
        for _ in kinds {
            // Advances first, so that the next kind has its turn even if this one fails.
            let kind = next.withLock { next in
                defer { next = (next + 1) % kinds.count }
                return kinds[next]
            }
            let deleted = try await network.database.write(about: .none) { transaction in
                try transaction.cleanUp(kind, keeping: kept, limit: Self.rowsPerPass)
            }
            guard deleted == 0 else {
                report(kind, deleted)
                return network.now().adding(Self.pauseBetweenPasses)
            }
        }
        // The worker that gives up on a mailbox can't do this, because it locks the mailbox's owner
        // but not the owner's contacts.
        try await network.emailAddresses.partFromUnreachableGuests()
        return network.now().adding(Self.pauseAfterRound)
    }
}
