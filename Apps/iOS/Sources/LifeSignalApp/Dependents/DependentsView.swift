import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The people the user watches over. Whoever is in trouble comes first, however the rest is sorted.
struct DependentsView<Messages: View>: View {
    @Bindable var store: StoreOf<DependentsFeature>
    /// "Ben is on it"; nil while no one is.
    let helper: (ContactData) -> String?
    @ViewBuilder let messages: Messages

    var body: some View {
        Page { content }
            .navigationTitle("Dependents")
            .toolbar {
                ToolbarItem(placement: .topBarLeading) {
                    Button("Add") { store.send(.showQRScanner) }
                        .accessibilityLabel("Add a dependent")
                }
            }
            .refreshable { @MainActor in await store.send(.refreshPulled).finish() }
            .onAppear { store.send(.onAppear) }
            .onDisappear { store.send(.onDisappear) }
            .contactSheets(
                details: store.scope(state: \.contactDetails, action: \.contactDetails),
                scanner: store.scope(state: \.qrScanner, action: \.qrScanner),
                addition: store.scope(state: \.addContact, action: \.addContact)
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
                TroubledCard(contact: contact, helper: helper(contact), store: store)
            }
        }
        if !store.others.isEmpty {
            sortChoice
            ForEach(store.others) { contact in DependentCard(contact: contact, store: store) }
        }
        if store.sortedDependents.isEmpty {
            if store.isLoading {
                LoadingLine(words: "Loading your dependents …")
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
            .dependents, "You have no dependents yet",
            "You’re told when a dependent needs help. Scan their code to add them."
        ) {
            WideButton("Add a dependent", .scan, kind: .primary) { store.send(.showQRScanner) }
        }
    }
}
