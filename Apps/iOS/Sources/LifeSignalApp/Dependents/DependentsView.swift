import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The user's dependents. Those in trouble come first in every sort order.
struct DependentsView<Messages: View>: View {
    @Bindable var store: StoreOf<DependentsFeature>
    /// When the device last heard from the server; nil while the server is reachable.
    let knownUntil: Date?
    /// Returns, for example, "Ben is on it"; nil if no responder has acknowledged the alert.
    let helper: (ContactData) -> String?
    /// Returns the announcement about a person who needs help.
    let news: (ContactData) -> String
    /// True while another view announces the same news.
    let isMuted: Bool
    /// Returns the report that pauses the alarms; nil if they aren't paused.
    let report: (ContactData) -> ReportNotice?
    /// Returns the open alert about the person's journey; nil if there is none.
    let journey: (ContactData) -> AlertRecord?
    @ViewBuilder let messages: Messages

    var body: some View {
        Page { content }
            .navigationTitle("People I watch over")
            .toolbar {
                ToolbarItem(placement: .topBarLeading) {
                    Button("Add") { store.send(.showQRScanner) }
                        .accessibilityLabel("Add someone to watch over")
                }
            }
            .refreshable { @MainActor in await store.send(.refreshPulled).finish() }
            .onAppear { store.send(.onAppear) }
            .onDisappear { store.send(.onDisappear) }
            .contactSheets(
                details: store.scope(state: \.contactDetails, action: \.contactDetails),
                scanner: store.scope(state: \.qrScanner, action: \.qrScanner),
                addition: store.scope(state: \.addContact, action: \.addContact),
                knownUntil: knownUntil
            )
            .sheet(item: $store.scope(state: \.dependentAlert, action: \.dependentAlert)) {
                DependentAlertView(store: $0)
            }
    }

    @ViewBuilder private var content: some View {
        messages
        ErrorNotice(store.error) { store.send(.dismissError) }
        ContactNotices(alerts: store.alerts) { store.send(.dismissAlerts) }
        if let words = store.troubleWords {
            Banner(.critical, .alert) { Text(words).bold() }.announced(words)
            ForEach(store.inTrouble) { contact in
                TroubledCard(
                    contact: contact, knownUntil: knownUntil, helper: helper(contact),
                    news: news(contact), isMuted: isMuted || store.dependentAlert != nil,
                    report: report(contact), journey: journey(contact), store: store)
            }
        }
        if !store.others.isEmpty {
            sortChoice
            ForEach(store.others) { contact in
                DependentCard(contact: contact, knownUntil: knownUntil, store: store)
            }
        }
        if store.sortedDependents.isEmpty {
            if store.isLoading {
                LoadingLine(words: "Loading the people you watch over …")
            } else {
                nobody
            }
        }
    }

    private var sortChoice: some View {
        Picker("Sort by", selection: $store.sortOption.sending(\.setSortOption)) {
            ForEach(DependentsFeature.State.SortOption.allCases, id: \.self) { option in
                Text(option.words).tag(option)
            }
        }
        .pickerStyle(.segmented)
    }

    private var nobody: some View {
        EmptyState(
            .dependents, "You watch over no one yet",
            "You’re told when someone you watch over needs help. Scan their code to add them."
        ) {
            WideButton("Add someone to watch over", .scan, kind: .primary) {
                store.send(.showQRScanner)
            }
        }
    }
}
