import Domain
import Persistence

/// Computes stored deadlines again. They become stale when the time zones of this machine are
/// updated, and when an older server beside this one stores a check-in (product.md, "Schedules").
public struct PlanRepair: Commands {
    public let core: Core
    let scheduleNews: ScheduleNews

    private static let page = 500

    /// Returns how many deadlines moved.
    public func repair() async throws -> Int {
        var (last, moved): (UserID?, Int) = (nil, 0)
        repeat {
            let page = try await database.read { [last] in
                try $0.plannedSchedules(after: last, limit: Self.page)
            }
            last = page.count < Self.page ? nil : page.last?.user
            for planned in page where planned.isStale(at: now()) {
                moved += try await repair(planned.user) ? 1 : 0
            }
        } while last != nil
        return moved
    }

    private func repair(_ user: UserID) async throws -> Bool {
        try await database.write(about: Subjects([user], isRepeatable: true)) { transaction in
            // Reads the row again, because a check-in may have arrived.
            guard let planned = try transaction.plannedSchedule(of: user),
                planned.isStale(at: transaction.now)
            else { return false }
            try transaction.save(planned.schedule, of: user)
            try scheduleNews.publishCorrection(
                of: user, to: try transaction.responderIDs(of: user), in: transaction)
            return true
        }
    }
}
