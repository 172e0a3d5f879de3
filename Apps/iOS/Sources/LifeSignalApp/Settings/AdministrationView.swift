import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// What administrators of the server did with the account.
struct AdministrationView: View {
    @Bindable var store: StoreOf<AdministrationFeature>

    var body: some View {
        Card {
            Heading(AdministrationFeature.title)
            ErrorNotice(store.error) { store.send(.dismissError) }
            if let maintenance = store.maintenance { MaintenanceText(maintenance: maintenance) }
            if store.lockedAt != nil { Text(AdministrationFeature.locked) }
            if let move = store.move { change(move) }
            Quiet(AdministrationFeature.hint)
            if let acts = store.acts {
                list(acts)
            } else if store.error == nil {
                LoadingLine()
            } else {
                WideButton("Load again") { store.send(.retryButtonTapped) }
            }
        }
        .onAppear { store.send(.onAppear) }
        .onDisappear { store.send(.onDisappear) }
    }

    @ViewBuilder private func change(_ move: NumberMove) -> some View {
        Text("\(AdministrationFeature.moveTitle) \(move.phoneNumber.text), ")
            + .moment(move.takesEffectAt)
        Text(AdministrationFeature.moveHint)
        WideButton(store.stopWords, kind: .primary) { store.send(.stopMoveButtonTapped) }
            .disabled(store.isStopping)
    }

    @ViewBuilder private func list(_ acts: [AdminAct]) -> some View {
        if acts.isEmpty { Quiet(AdministrationFeature.noActs) }
        ForEach(acts) { act in
            VStack(alignment: .leading, spacing: 4) {
                Text(act.kind.words).bold()
                Text(act.reason)
                Quiet(Text.moment(act.time) + Text(", \(act.doneBy)"))
            }
        }
    }
}

/// The notices on the first page.
struct AccountNoticesView: View {
    let notices: AccountNotices

    var body: some View {
        if notices != AccountNotices() {
            Card {
                if let maintenance = notices.maintenance {
                    MaintenanceText(maintenance: maintenance)
                }
                if notices.isLocked { Text(AdministrationFeature.locked) }
                if let move = notices.move {
                    Text("\(AdministrationFeature.moveTitle) \(move.phoneNumber.text), ")
                        + Text.moment(move.takesEffectAt)
                    Text(AdministrationFeature.moveInSettings)
                }
            }
        }
    }
}

private struct MaintenanceText: View {
    let maintenance: Maintenance

    var body: some View {
        Text("\(AdministrationFeature.maintenanceTitle): ") + Text.moment(maintenance.from)
            + Text(" – ") + Text.moment(maintenance.until)
    }
}
