import Delivery
import Domain
import Foundation
import HTTPServer
import Logging
import Persistence
import SafetyNetwork

/// Counts what the background loops report, and writes what concerns the operator to the log: one
/// line a minute for each kind of failure.
struct WorkReports: Sendable {
    let metrics: Metrics
    let logger: Logger
    let unpaidAlarms = UnpaidAlarms()
    private let logLimit = LogLimit()

    init(metrics: Metrics, logger: Logger) {
        self.metrics = metrics
        self.logger = logger
        // Counters that exist from the start show their first failure as an increase.
        for kind in DeadlineMonitor.Failure.Kind.allCases {
            metrics.count(.deadlineFailures, labels: Self.label(kind), by: 0)
        }
    }

    private static func label(_ kind: DeadlineMonitor.Failure.Kind) -> String {
        "kind=\"\(kind.rawValue)\""
    }

    func enter(_ report: DeliveryReport) {
        let channel = "channel=\"\(report.channel.rawValue)\""
        metrics.count(.deliveries, labels: "\(channel),state=\"\(report.state.rawValue)\"")
        guard let reason = report.reason else { return }
        metrics.count(.deliveryFailures, labels: "\(channel),reason=\"\(reason.group)\"")
        // Anyone may register an endpoint that fails, but a provider's failure concerns the
        // operator. An endpoint may answer with many different codes, which count as one kind.
        let isOfEndpoint = isOfEndpoint(report)
        let kind = isOfEndpoint ? reason.group : "\(reason)"
        let mayBeSent = report.state == .superseded && reason.isUncertain
        logger.log(
            level: isOfEndpoint || mayBeSent ? .info : .warning,
            mayBeSent
                ? "a delivery was perhaps sent before newer news replaced it"
                : "a delivery did not get through",
            metadata: [
                "channel": "\(report.channel.rawValue)", "state": "\(report.state.rawValue)",
                "reason": "\(reason)",
            ],
            as: "\(report.channel.rawValue) \(report.state.rawValue) \(kind)", within: logLimit)
    }

    /// Logs that the outcomes of deliveries were not stored.
    func enterUnstoredOutcomes(_ error: any Error) {
        logger.log(
            level: .error, "outcomes were not stored, so their messages may be sent twice",
            metadata: ["error": "\(error)"], as: "unstored \(error)", within: logLimit)
    }

    /// Logs that the budgets of a channel didn't allow the beginning of an alert.
    func enterUnpaidAlarm(_ channel: DeliveryChannel, at now: Date) {
        unpaidAlarms.note(channel, at: now)
        logger.log(
            level: .error, "an alert was not sent, because a budget is used up",
            metadata: ["channel": "\(channel.rawValue)"], as: "unpaid \(channel.rawValue)",
            within: logLimit)
    }

    private func isOfEndpoint(_ report: DeliveryReport) -> Bool {
        switch report.channel {
        case .webhook, .webPush: true
        case .apns, .fcm: report.reason?.kind != .credentials
        default: false
        }
    }

    func enter(_ report: DeadlineMonitor.Report) {
        metrics.count(.missed, by: Double(report.missed))
        metrics.count(.reminders, by: Double(report.reminders))
        metrics.count(.repeatedAlerts, by: Double(report.repeatedAlerts))
        for delay in report.delays {
            metrics.observe(.missedDelay, delay / .seconds(1))
            if delay > .seconds(1) { metrics.count(.lateDeadlines) }
        }
        for failure in report.failures {
            metrics.count(.deadlineFailures, labels: Self.label(failure.kind))
            logger.log(
                level: .error, "the deadline monitor put something off",
                metadata: ["reason": "\(failure)"], as: "deadline \(failure)", within: logLimit)
        }
    }

    func enter(_ unreadable: TextInbox.Unreadable) {
        metrics.count(.unreadableTexts, labels: "kind=\"\(unreadable)\"")
        logger.log(
            level: .warning, "a text message was not understood",
            metadata: ["kind": "\(unreadable)"], as: "text \(unreadable)", within: logLimit)
    }

    func enter(_ kind: CleanUp, deleted rows: Int) {
        metrics.count(.cleanedUp, labels: "kind=\"\(kind)\"", by: Double(rows))
    }
}
