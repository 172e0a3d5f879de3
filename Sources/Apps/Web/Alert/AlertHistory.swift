import Domain
import Features
import LivePages

extension AlertFeature {
    static func history(_ state: State) -> HTML<Action> {
        details(.class("card")) {
            summary { h2 { "Your alerts" } }
            if state.alertHistory.isEmpty {
                p(.class("quiet")) { state.emptyHistoryWords }
            }
            part("list", of: state.alertHistory, content: list)
            if !state.alertHistory.isEmpty {
                part("totals", of: state.alertHistory, content: totals)
            }
            if state.nextHistoryPage != nil {
                actionButton("Show earlier alerts", .loadMoreAlertHistory).disabled(
                    state.isLoadingHistory)
            }
        }
        .key("alerts")
    }

    private static func list(_ alerts: [AlertRecord]) -> HTML<Action> {
        ul(.class("list")) { for alert in alerts { entry(alert) } }
    }

    private static func totals(_ alerts: [AlertRecord]) -> HTML<Action> {
        let numbers = AlertSummary(alerts)
        return div(.class("stack")) {
            p(.class("quiet")) { numbers.words }
            responsePlot(numbers)
            a(.class("button"), .href(.download(tableName)), .plain(.download, tableName)) {
                "Download as CSV"
            }
        }
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
                    ledgerList(alert.ledger, alert.history, empty: "")
                    ownTimeline(of: alert)
                }
            }
        }
        .key(alert.id)
    }
}
