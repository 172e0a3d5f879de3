import ComposableArchitecture
import Domain
import Features
import Foundation
import SwiftUI

struct MainTabView<Messages: View>: View {
    @Bindable var store: StoreOf<MainTabFeature>
    /// When the device last heard from the server; nil while the server is reachable.
    let knownUntil: Date?
    @ViewBuilder let messages: Messages
    /// The open sheets, the lowest first.
    @State private var sheets: [UUID] = []

    var body: some View {
        VStack(spacing: 0) {
            AlertBar(
                store: store.scope(state: \.home.alert, action: \.home.alert),
                isInFront: sheets.isEmpty)
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
        .journeySheets(store.scope(state: \.home.journey, action: \.home.journey))
        // The sheets of all tabs inherit it.
        .environment(\.alarms, Alarms(store: store, knownUntil: knownUntil, sheets: $sheets))
    }

    private var tabs: some View {
        TabView(selection: $store.selectedTab.sending(\.tabSelected)) {
            tab(.home, onAppear: .home(.onAppear), onDisappear: .home(.onDisappear)) {
                HomeView(store: store.scope(state: \.home, action: \.home)) { notices }
            }
            tab(.responders) {
                RespondersView(
                    store: store.scope(state: \.responders, action: \.responders),
                    knownUntil: knownUntil
                ) { notices }
            }
            tab(.dependents) {
                DependentsView(
                    store: store.scope(state: \.dependents, action: \.dependents),
                    knownUntil: knownUntil,
                    helper: { store.state.helperWords(for: $0) },
                    news: { news(about: $0) },
                    isMuted: !store.state.shows(.dependents) || store.dependentAlert != nil,
                    report: { store.state.reportNotice(for: $0) },
                    journey: { store.alertNews.journeys[$0.id] }
                ) { notices }
            }
            tab(.profile) {
                ProfileView(store: store.scope(state: \.profile, action: \.profile)) { notices }
            }
        }
        // On an iPad, the user can turn the tabs into a sidebar.
        .tabViewStyle(.sidebarAdaptable)
    }

    /// Attaches the actions to the tab's navigation stack, which stays when the screen in it
    /// changes.
    private func tab<Content: View>(
        _ tab: MainTabFeature.Tab, onAppear: MainTabFeature.Action? = nil,
        onDisappear: MainTabFeature.Action? = nil, @ViewBuilder content: () -> Content
    ) -> some TabContent<MainTabFeature.Tab> {
        let count = store.state.badge(of: tab)
        return Tab(tab.title, systemImage: tab.symbol.rawValue, value: tab) {
            NavigationStack {
                content().toolbar {
                    ToolbarItem(placement: .topBarTrailing) { bell }
                }
            }
            .onAppear { if let onAppear { store.send(onAppear) } }
            .onDisappear { if let onDisappear { store.send(onDisappear) } }
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
                    Text(verbatim: store.unreadNotificationsNumber).font(.footnote).bold()
                }
            }
        }
        .accessibilityLabel("Notifications")
        .accessibilityValue(
            store.unreadNotificationsCount > 0
                ? "\(store.unreadNotificationsNumber) unread" : "")
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

    @ViewBuilder private var notices: some View {
        messages
        if !store.state.shows(.home) {
            OwnAlertNotice(
                store: store.scope(state: \.home.alert, action: \.home.alert),
                responders: store.home.respondersToCall,
                emergency: store.home.emergencyNumber,
                show: { store.send(.tabSelected(.home)) },
                checkIn: { store.send(.home(.checkIn(.checkInButtonTapped))) },
                journey: store.scope(state: \.home.journey, action: \.home.journey))
        }
        ForEach(store.troubled) { trouble($0) }
        AlertNewsView(
            store: store.scope(state: \.alertNews, action: \.alertNews),
            contacts: store.responders.contacts.contacts)
        if let item = store.newContactBanner { addition(item) }
        ErrorNotice(store.error) { store.send(.dismissError) }
    }

    private func trouble(_ person: ContactData) -> some View {
        let name = ProfileRules.displayName(person.name)
        let helper = store.state.helperWords(for: person)
        return Card(tone: .critical) {
            HStack(spacing: 8) {
                Symbol.alert.picture
                Text(trouble(of: person)).bold()
            }
            if let helper { Banner(.fine, .check) { Text(helper).bold() } }
            if let report = store.state.reportNotice(for: person) {
                ReportLine(report: report, name: name) { store.send(.alertRequested($0)) }
            }
            WideButton("See the alert", kind: .primary) { store.send(.alertTapped(person)) }
                .accessibilityLabel("See \(name)’s alert")
            if let number = person.phoneNumber { CallLink(number: number, name: name) }
        }
        .announced(news(about: person))
    }

    private func trouble(of person: ContactData) -> String {
        store.state.trouble(of: person, knownUntil: knownUntil)
    }

    /// Returns the announcement about a person who needs help. It is one text, because VoiceOver
    /// stops reading a text when another follows.
    private func news(about person: ContactData) -> String {
        let words = trouble(of: person)
        return store.state.helperWords(for: person).map { "\(words). \($0)" } ?? words
    }

    /// Announces a new contact until the user has responded, because the contact may be a stranger
    /// who found the user's code.
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
