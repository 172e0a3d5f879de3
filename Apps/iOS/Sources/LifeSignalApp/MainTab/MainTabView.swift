import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The four tabs with their badges, and the notification centre.
struct MainTabView<Messages: View>: View {
    @Bindable var store: StoreOf<MainTabFeature>
    /// The app's messages on every screen.
    @ViewBuilder let messages: Messages

    var body: some View {
        VStack(spacing: 0) {
            AlertBar(store: store.scope(state: \.home.alert, action: \.home.alert))
            tabs
        }
        .background(Color.ground)
        .onAppear { store.send(.onAppear) }
        .sheet(
            isPresented: $store[
                presented: \.isNotificationCentrePresented, close: \.notificationCentreDismissed]
        ) {
            centre
        }
        .sheet(item: $store.scope(state: \.dependentAlert, action: \.dependentAlert)) {
            DependentAlertView(store: $0)
        }
    }

    private var tabs: some View {
        TabView(selection: $store.selectedTab.sending(\.tabSelected)) {
            tab(.home) {
                HomeView(store: store.scope(state: \.home, action: \.home)) { notices }
            }
            tab(.responders) {
                RespondersView(store: store.scope(state: \.responders, action: \.responders)) {
                    notices
                }
            }
            tab(.dependents) {
                DependentsView(
                    store: store.scope(state: \.dependents, action: \.dependents),
                    helper: { store.state.helperWords(for: $0) }
                ) { notices }
            }
            tab(.profile) {
                ProfileView(store: store.scope(state: \.profile, action: \.profile)) { notices }
            }
        }
    }

    private func tab<Content: View>(
        _ tab: MainTabFeature.Tab, @ViewBuilder content: () -> Content
    ) -> some TabContent<MainTabFeature.Tab> {
        let count = store.state.badge(of: tab)
        return Tab(tab.title, systemImage: tab.symbol.rawValue, value: tab) {
            NavigationStack {
                content().toolbar {
                    ToolbarItem(placement: .topBarTrailing) { bell }
                }
            }
        }
        .badge(count)
        .accessibilityValue(
            Text(count > 0 ? "\(count) \(store.state.badgeWords(of: tab))" : ""))
    }

    private var bell: some View {
        Button {
            store.send(.notificationCentreButtonTapped)
        } label: {
            HStack(spacing: 4) {
                Symbol.bell.picture
                if store.unreadNotificationsCount > 0 {
                    Text(verbatim: "\(store.unreadNotificationsCount)").font(.footnote).bold()
                }
            }
        }
        .accessibilityLabel("Notifications")
        .accessibilityValue(
            store.unreadNotificationsCount > 0
                ? "\(store.unreadNotificationsCount) unread" : "")
    }

    private var centre: some View {
        SheetFrame(
            title: "Notifications", closeLabel: "Back",
            close: { store.send(.notificationCentreDismissed) }
        ) {
            NotificationView(
                store: store.scope(state: \.notifications, action: \.notifications),
                alerts: store.alertNews)
            PushCard(
                card: store.home.pushCard,
                store: store.scope(state: \.home.push, action: \.home.push))
        }
    }

    /// Notices above the content of each tab.
    @ViewBuilder private var notices: some View {
        messages
        if !store.state.shows(.home) {
            OwnAlertNotice(
                store: store.scope(state: \.home.alert, action: \.home.alert),
                responders: store.home.respondersToCall,
                show: { store.send(.tabSelected(.home)) },
                checkIn: { store.send(.home(.checkIn(.checkInButtonTapped))) })
        }
        ForEach(store.troubled) { trouble($0) }
        AlertNewsView(
            store: store.scope(state: \.alertNews, action: \.alertNews),
            contacts: store.responders.contacts.contacts)
        if let item = store.newContactBanner { addition(item) }
        ErrorNotice(store.error) { store.send(.dismissError) }
    }

    /// The notice on every tab that somebody needs the person.
    private func trouble(_ person: ContactData) -> some View {
        let name = ProfileRules.displayName(person.name)
        let words = person.troubleWords
        return Card(tone: .critical) {
            HStack(spacing: 8) {
                Symbol.alert.picture
                Text(words).bold()
            }
            if let helper = store.state.helperWords(for: person) {
                Banner(.fine, .check) { Text(helper).bold() }
            }
            WideButton("See the alert", kind: .primary) { store.send(.alertTapped(person)) }
                .accessibilityLabel("See \(name)’s alert")
            if let number = person.phoneNumber { CallLink(number: number, name: name) }
        }
        .announced(words)
    }

    /// A new contact, until the person has answered: it may be someone who found the user's code.
    private func addition(_ item: NotificationItem) -> some View {
        Banner(.warning, .profile) {
            VStack(alignment: .leading, spacing: 8) {
                Text(item.title).bold()
                Text(item.body)
                HStack(spacing: 16) {
                    Button("Remove or block") {
                        store.send(.notifications(.notificationTapped(item.id)))
                    }
                    .accessibilityLabel("Remove or block: \(item.title)")
                    Button("OK") { store.send(.notifications(.markAsReadButtonTapped(item.id))) }
                        .accessibilityLabel("OK: \(item.title)")
                }
            }
        }
        .announced(item.title)
    }
}

extension MainTabFeature.Tab {
    var symbol: Symbol {
        switch self {
        case .home: .home
        case .responders: .responders
        case .dependents: .dependents
        case .profile: .profile
        }
    }
}
