import Domain
import Features
import Foundation
import LivePages

extension AlertFeature {
    /// The user's own alerts so far, newest first.
    static func history(_ state: State) -> HTML<Action> {
        details(.class("card")) {
            summary { h2 { "Your alerts" } }
            if state.alertHistory.isEmpty {
                p(.class("quiet")) { emptyWords(state) }
            }
            ul(.class("list")) {
                for alert in state.alertHistory { entry(alert) }
            }
            .key("list")
            totals(state.alertHistory)
            if state.nextHistoryPage != nil {
                actionButton("Show earlier alerts", .loadMoreAlertHistory).disabled(
                    state.isLoadingHistory)
            }
        }
        .key("alerts")
    }

    /// The totals of the alerts that are shown, and the alerts as a table.
    private static func totals(_ alerts: [AlertRecord]) -> HTML<Action> {
        guard !alerts.isEmpty else { return .empty }
        let summary = AlertSummary(alerts)
        return div(.class("stack")) {
            p(.class("quiet")) {
                "\(summary.total) shown: \(summary.manual) raised by hand, "
                "\(summary.missedCheckIns) for a missed check-in. "
                "\(summary.acknowledged) taken on\(responseWords(summary))."
            }
            a(.class("button"), .href(.download(tableName)), .plain(.download, tableName)) {
                "Download as CSV"
            }
        }
        .key("totals")
    }

    private static func responseWords(_ summary: AlertSummary) -> String {
        guard let median = summary.medianResponse, let longest = summary.longestResponse else {
            return ""
        }
        let words = [median, longest].map { Duration.seconds(Int($0.rounded())).words }
        return ", half of them within \(words[0]), all within \(words[1])"
    }

    static let tableName = "alerts.csv"

    private static func emptyWords(_ state: State) -> String {
        if state.isLoadingHistory { return "Loading …" }
        return state.nextHistoryPage == nil ? "None yet." : "None among the latest."
    }

    private static func entry(_ alert: AlertRecord) -> HTML<Action> {
        li(.class("stack")) {
            div(.id("alert-\(alert.id)")) {
                strong { alert.kind.words }
                " · "
                when(alert.startTime)
            }
            alertOutcome(alert)
            if alert.ledger.isEmpty {
                button(.type("button"), .described(by: "alert-\(alert.id)")) { "Who was told" }
                    .onTap(.loadAlertDetails(alert.id))
            } else {
                details {
                    summary { "Who was told" }
                    ledgerList(alert.ledger, empty: "")
                    ledgerTimeline(alert.ledger)
                }
            }
        }
        .key(alert.id)
    }
}
