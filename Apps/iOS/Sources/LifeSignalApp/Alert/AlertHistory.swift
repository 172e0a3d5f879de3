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
                OwnTimeline(alert: alert)
            }
        }
        Divider()
    }

    @ViewBuilder private var totals: some View {
        if !store.alertHistory.isEmpty {
            let table = AlertTable(
                text: AlertSummary.csv(store.alertHistory) { _ in "You" })
            let summary = AlertSummary(store.alertHistory)
            Quiet(summary.words)
            if summary.acknowledged > 0 { ResponsePlot(summary: summary) }
            ShareLink(
                "Download as CSV", item: table, preview: SharePreview(AlertTable.fileName))
        }
    }
}

/// The time until each alert was taken on: bars, the oldest left, and the same numbers as a list.
struct ResponsePlot: View {
    let summary: AlertSummary
    /// In points.
    private static let height = 80.0

    var body: some View {
        HStack(alignment: .bottom, spacing: 2) {
            ForEach(summary.responses) { response in
                Rectangle().fill(Color.brand)
                    .frame(maxWidth: 24)
                    .frame(height: max(2, Self.height * response.share))
            }
        }
        .frame(maxWidth: .infinity, alignment: .leading)
        .accessibilityElement(children: .ignore)
        .accessibilityLabel(summary.plotWords)
        Quiet(summary.plotHint)
        DisclosureGroup(AlertSummary.tableTitle) {
            ForEach(summary.responses) { response in
                HStack {
                    Text.moment(response.startTime)
                    Spacer()
                    Text(response.words)
                }
                .accessibilityElement(children: .combine)
            }
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
