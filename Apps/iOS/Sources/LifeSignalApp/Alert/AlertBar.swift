import ComposableArchitecture
import Features
import SwiftUI

/// The alert button above the tabs, and in each sheet. An alert needs four taps, each shown as a
/// quarter, or one tap and a confirmation. The user's settings decide which.
struct AlertBar: View {
    @Bindable var store: StoreOf<AlertFeature>
    /// False while a sheet covers the button.
    let isInFront: Bool
    @Environment(\.isLow) private var isLow

    var body: some View {
        let layout =
            isLow ? AnyLayout(HStackLayout(spacing: 16)) : AnyLayout(VStackLayout(spacing: 4))
        if !store.isOnOrBeingRaised {
            Button {
                store.send(.alertButtonTapped)
            } label: {
                layout {
                    HStack(spacing: 8) {
                        Symbol.alert.picture
                        Text("Alert").bold()
                    }
                    Text(store.pressWords).font(.footnote)
                    ProgressView(value: store.activationProgress)
                        .tint(Color.onAlarm)
                        .accessibilityHidden(true)
                }
                .frame(maxWidth: .infinity, minHeight: 44)
                .padding(isLow ? 4 : 12)
                .foregroundStyle(Color.onAlarm)
                .background(Color.alarm, in: .rect(cornerRadius: 14))
            }
            .buttonStyle(.plain)
            .disabled(!store.canActivateAlert)
            .accessibilityLabel("Alert")
            .accessibilityValue(store.pressWords)
            .frame(maxWidth: PageWidth.text)
            .padding(.horizontal, 16)
            .padding(.vertical, 6)
            .alert(question)
        }
    }

    /// The question before or after an alert. iOS presents it only in front of all sheets.
    private var question: Binding<Store<AlertState<AlertFeature.Action>, AlertFeature.Action>?> {
        isInFront
            ? $store.scope(state: \.confirmationAlert, action: \.confirmationAlert)
            : .constant(nil)
    }
}

/// The notices on Home while no alert is on: an alert has just ended, or its end is not sent yet.
struct AlertNotices: View {
    let store: StoreOf<AlertFeature>

    var body: some View {
        SuccessBanner(store.endedWords)
        WaitingBanner(store.waitingWords)
        EndElsewhereNotice(store: store)
        if store.endElsewhere == nil {
            ErrorNotice(store.error) { store.send(.dismissError) }
        }
    }
}
