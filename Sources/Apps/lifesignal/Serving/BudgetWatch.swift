import Domain
import Foundation
import HTTPServer
import Logging
import Synchronization

/// Tells the operator how much of the budgets is used: by a metric, a warning in `/health/ready`,
/// and a log line at each level.
final class BudgetWatch: Sendable {
    private struct State {
        var day = Date.distantPast
        var used: [DeliveryChannel: Int] = [:]
        var levels: [DeliveryChannel: BudgetLevel] = [:]
    }

    private let budgets: Budgets
    private let logger: Logger
    private let state: Box

    private final class Box: Sendable { let value = Mutex(State()) }

    init(_ budgets: Budgets, metrics: Metrics, logger: Logger) {
        self.budgets = budgets
        self.logger = logger
        let box = Box()
        state = box
        for channel in Budgets.channels {
            guard let total = budgets.limited(channel)?.total else { continue }
            let label = "channel=\"\(channel.rawValue)\""
            metrics.add(.init(.budgetLimit, labels: label) { Double(total) })
            metrics.add(
                .init(.budgetUsed, labels: label) {
                    box.value.withLock { Double($0.used[channel] ?? 0) }
                })
        }
    }

    /// - Parameter used: the number of messages sent today, by channel.
    func note(_ used: [DeliveryChannel: Int], at now: Date) {
        let day = Budget.day(of: now)
        for channel in Budgets.channels {
            guard let budget = budgets.limited(channel) else { continue }
            let level = BudgetLevel(budget, used: used[channel] ?? 0)
            let isNews = state.value.withLock { state in
                if state.day != day { state = State(day: day) }
                state.used[channel] = used[channel] ?? 0
                guard level > state.levels[channel] ?? .enough else { return false }
                state.levels[channel] = level
                return true
            }
            guard isNews else { continue }
            logger.warning(
                "\(Self.words(level, channel))",
                metadata: [
                    "channel": "\(channel.rawValue)", "used": "\(used[channel] ?? 0)",
                    "budget": "\(budget.total ?? 0)",
                ])
        }
    }

    var warnings: [String] {
        let levels = state.value.withLock { $0.levels }
        return Budgets.channels.compactMap { channel in
            levels[channel].map { Self.words($0, channel) }
        }
    }

    static func words(_ level: BudgetLevel, _ channel: DeliveryChannel) -> String {
        let name = channel == .voice ? "calls" : "text messages"
        return switch level {
        case .enough: "the budget of \(name) is enough"
        case .reserve:
            """
            80 % of today's budget of \(name) is used: codes, reminders and drills have stopped, \
            and news stops at 85 %
            """
        case .alarmsOnly:
            """
            90 % of today's budget of \(name) is used: repeats, last calls and news have stopped, \
            only first alarms and ends go on
            """
        case .usedUp: "today's budget of \(name) is used up"
        }
    }
}
