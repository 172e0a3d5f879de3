import ComposableArchitecture
import Domain
import Features
import SwiftUI
import UniformTypeIdentifiers

struct AlertHistory: View {
    let store: StoreOf<AlertFeature>

    var body: some View {
        Card {
            DisclosureGroup("Your alerts") {
                VStack(alignment: .leading, spacing: 12) {
                    if store.alertHistory.isEmpty { Quiet(store.emptyHistoryWords) }
                    ForEach(store.alertHistory) { alert in entry(alert) }
                    totals
                    if store.nextHistoryPage != nil {
                        WideButton("Show earlier alerts") { store.send(.loadMoreAlertHistory) }
                            .disabled(store.isLoadingHistory)
                    }
                }
                .frame(maxWidth: .infinity, alignment: .leading)
            }
        }
    }

    @ViewBuilder private func entry(_ alert: AlertRecord) -> some View {
        Text(alert.kind.words).bold() + Text(verbatim: " · ") + .when(alert.startTime)
        AlertOutcome(alert: alert)
        if alert.ledger.isEmpty {
            Button("Who was told") { store.send(.loadAlertDetails(alert.id)) }
                .frame(minHeight: 44)
        } else {
            DisclosureGroup("Who was told") {
                LedgerList(ledger: alert.ledger, actions: alert.history, empty: "")
                LedgerTimeline(ledger: alert.ledger)
            }
        }
        Divider()
    }

    @ViewBuilder private var totals: some View {
        if !store.alertHistory.isEmpty {
            let table = AlertTable(
                text: AlertSummary.csv(store.alertHistory) { _ in "You" })
            Quiet(AlertSummary(store.alertHistory).words)
            ShareLink(
                "Download as CSV", item: table, preview: SharePreview(AlertTable.fileName))
        }
    }
}

struct AlertTable: Transferable {
    static let fileName = AlertFeature.tableName
    let text: String

    static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .commaSeparatedText) { (table: AlertTable) in
            Data(table.text.utf8)
        }
        .suggestedFileName(fileName)
    }
}
