import ComposableArchitecture
import Features
import SwiftUI

/// The whole app: the launch screen, the sign-in, the onboarding, or the tabs. The messages for
/// every screen are always shown.
struct AppView: View {
    @Bindable var store: StoreOf<AppFeature>
    @Environment(\.scenePhase) private var scenePhase

    var body: some View {
        screen
            .tint(Color.brand)
            .background(Color.ground)
            .task(id: store.state.deadline) {
                await DeadlineDisplay.shared.show(store.state.deadline)
            }
            .task(id: store.state.iconBadge) { await IconBadge.show(store.state.iconBadge) }
            .onChange(of: scenePhase) { _, phase in
                switch phase {
                case .active: store.send(.becameActive)
                case .inactive: break
                case .background: store.send(.becameInactive)
                @unknown default: break
                }
            }
    }

    @ViewBuilder private var screen: some View {
        if let main = store.scope(state: \.screen?.main, action: \.screen.main) {
            MainTabView(store: main, knownUntil: store.knownUntil) { messages }
        } else if let auth = store.scope(state: \.screen?.signedOut, action: \.screen.signedOut) {
            Page {
                messages
                AuthView(store: auth)
            }
        } else if let onboarding = store.scope(
            state: \.screen?.onboarding, action: \.screen.onboarding)
        {
            Page {
                messages
                OnboardingView(store: onboarding)
            }
        } else {
            Page {
                Heading("LifeSignal")
                LoadingLine(words: "Looking for your session …")
            }
        }
    }

    @ViewBuilder private var messages: some View {
        if let words = store.connectivityWords {
            Banner(.warning, .alert) {
                store.knownUntil.map { Text(words) + Text(", as of ") + .moment($0) } ?? Text(words)
                Spacer()
                Button("Try now") { store.send(.retryButtonTapped) }.buttonStyle(.borderless)
            }
            .announced(words)
        }
        ErrorNotice(store.error) { store.send(.dismissError) }
        if let open = store.openAtSignOut { OpenAtSignOutNotice(open: open) }
        if let alert = store.unsentAlert {
            UnsentAlertQuestion(alert: alert) {
                store.send(.unsentAlertAnswered(isToBeSent: $0))
            }
        }
    }
}
