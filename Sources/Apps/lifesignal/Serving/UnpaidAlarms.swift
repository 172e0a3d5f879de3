import Domain
import Foundation
import Synchronization

/// Remembers on which channels the budgets of the day didn't allow the beginning of an alert. The
/// total may not be used up: each user has a share of it.
final class UnpaidAlarms: Sendable {
    private let days = Mutex<[DeliveryChannel: Date]>([:])

    func note(_ channel: DeliveryChannel, at now: Date) {
        days.withLock { $0[channel] = Budget.day(of: now) }
    }

    func warnings(at now: Date) -> [String] {
        let day = Budget.day(of: now)
        let days = days.withLock { $0 }
        return Budgets.channels.filter { days[$0] == day }.map { channel in
            let messages = channel == .voice ? "calls" : "text messages"
            return "the budget of \(messages) has stopped the first alarms of an alert today"
        }
    }
}
