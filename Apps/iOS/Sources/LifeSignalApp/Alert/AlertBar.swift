import ComposableArchitecture
import Features
import SwiftUI

/// The call for help, above the tabs: four taps raise it, each shown as a quarter.
struct AlertBar: View {
    let store: StoreOf<AlertFeature>

    var body: some View {
        if !store.isOnOrBeingRaised {
            Button {
                store.send(.alertButtonTapped)
            } label: {
                VStack(spacing: 4) {
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
                .padding(12)
                .foregroundStyle(Color.onAlarm)
                .background(Color.alarm, in: .rect(cornerRadius: 14))
            }
            .buttonStyle(.plain)
            .disabled(!store.canActivateAlert)
            .accessibilityLabel("Alert")
            .accessibilityValue(store.pressWords)
            .padding(.horizontal, 16)
            .padding(.vertical, 6)
        }
    }
}

/// On Home while no alert is on: an alert that has just ended, an end that waits.
struct AlertNotices: View {
    let store: StoreOf<AlertFeature>

    var body: some View {
        SuccessBanner(store.endedText)
        WaitingBanner(store.waitingText)
        ErrorNotice(store.error) { store.send(.dismissError) }
    }
}
