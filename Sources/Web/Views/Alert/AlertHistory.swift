import Domain
import Features
import Foundation

extension AlertFeature {
    /// The user's own alerts so far, newest first.
    static func history(_ state: State) -> HTML<Action> {
        details(.class("card")) {
            summary { h2 { "Your alerts" } }
            if state.alertHistory.isEmpty {
                p(.class("quiet")) { state.isLoadingHistory ? "Loading …" : "None yet." }
            }
            ul(.class("list")) {
                for alert in state.alertHistory { entry(alert) }
            }
            .key("list")
            if state.nextHistoryPage != nil {
                actionButton("Show earlier alerts", .loadMoreAlertHistory).disabled(state.isLoadingHistory)
            }
        }
        .key("alerts")
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
                button(.type("button"), .described(by: "alert-\(alert.id)")) { "Who was told" }.onTap(.loadAlertDetails(alert.id))
            } else {
                details {
                    summary { "Who was told" }
                    ledgerList(alert.ledger, empty: "")
                }
            }
        }
        .key(alert.id)
    }
}
