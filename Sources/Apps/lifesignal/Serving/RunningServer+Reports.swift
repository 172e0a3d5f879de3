import Delivery
import Foundation
import HTTPServer
import Logging
import SafetyNetwork

/// The background loops that deliver. Each provider has its own loop, so that no provider waits for
/// another. The raw values appear in the log and in health responses.
enum DeliveryLoop: String, CaseIterable {
    case console
    case textMessages = "text messages"
    case email = "e-mail"
    case calls, webhooks
    case webPush = "Web Push"
    case apns = "apps by apns"
    case fcm = "apps by fcm"

    var triesAtOnce: Int {
        switch self {
        // One push service that hangs may occupy a quarter of these tries.
        case .webPush: 1_024
        case .apns, .fcm: AppChannels.triesAtOnce
        default: 128
        }
    }
}

extension RunningServer {
    static func hooks(
        _ network: SafetyNetwork, _ wakeup: Wakeup, _ metrics: Metrics, _ logger: Logger
    ) -> DeliveryWorker.Hooks {
        var hooks = DeliveryWorker.Hooks(
            wake: { wakeup.wake() }, notifyOwner: { try network.notifyOwner($0, in: $1) },
            report: { enter($0, in: metrics, logger: logger) })
        hooks.notifyEmailOwner = { try network.notifyOwner(ofEmail: $0, $1, in: $2) }
        return hooks
    }

    static func enter(_ report: DeliveryReport, in metrics: Metrics, logger: Logger) {
        let channel = "channel=\"\(report.channel.rawValue)\""
        metrics.count(.deliveries, labels: "\(channel),state=\"\(report.state.rawValue)\"")
        guard let reason = report.reason else { return }
        metrics.count(.deliveryFailures, labels: "\(channel),reason=\"\(reason.group)\"")
        // Anyone may register an endpoint that fails, but a provider's failure concerns
        // the operator.
        logger.log(
            level: isOfEndpoint(report) ? .info : .warning,
            "a delivery did not get through",
            metadata: [
                "channel": "\(report.channel.rawValue)", "state": "\(report.state.rawValue)",
                "reason": "\(reason)",
            ])
    }

    private static func isOfEndpoint(_ report: DeliveryReport) -> Bool {
        switch report.channel {
        case .webhook, .webPush: true
        case .apns, .fcm: report.reason?.kind != .credentials
        default: false
        }
    }

    static func enter(_ report: DeadlineMonitor.Report, in metrics: Metrics, logger: Logger) {
        metrics.count(.missed, by: Double(report.missed))
        metrics.count(.reminders, by: Double(report.reminders))
        metrics.count(.repeatedAlerts, by: Double(report.repeatedAlerts))
        for delay in report.delays {
            metrics.observe(.missedDelay, delay / .seconds(1))
            if delay > .seconds(1) { metrics.count(.lateDeadlines) }
        }
        for failure in report.failures {
            logger.error(
                "the deadline monitor put something off", metadata: ["reason": "\(failure)"])
        }
    }
}
