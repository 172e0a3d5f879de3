import ComposableArchitecture
import Domain
import Features
import SwiftUI

struct NotificationView: View {
    @Bindable var store: StoreOf<NotificationFeature>
    /// Decides which notifications about alerts are good news.
    let alerts: AlertNewsFeature.State

    var body: some View {
        VStack(alignment: .leading, spacing: 16) {
            ErrorNotice(store.error) { store.send(.dismissError) }
            filters
            if !store.notifications.isEmpty { all }
            list
            if store.canLoadEarlier || store.earlier == .loading {
                WideButton(store.earlierWords) {
                    store.send(.loadEarlierButtonTapped)
                }
                .disabled(!store.canLoadEarlier)
            }
            Card {
                DisclosureGroup("Notification settings") {
                    NotificationPreferencesView(
                        store: store.scope(state: \.preferences, action: \.preferences))
                }
            }
        }
        .onAppear { store.send(.onAppear) }
        .onDisappear { store.send(.onDisappear) }
        .alert($store.scope(state: \.confirmDelete, action: \.confirmDelete))
    }

    @ViewBuilder private var filters: some View {
        Picker("Show", selection: $store.selectedFilter.sending(\.filterSelected)) {
            Text("Everything").tag(NotificationType?.none)
            ForEach(NotificationType.allCases, id: \.self) { type in
                Text(type.words).tag(NotificationType?.some(type))
            }
        }
        .pickerStyle(.menu)
        Toggle(
            "Unread only", isOn: $store[value: \.showUnreadOnly, toggle: \.showUnreadOnlyToggled])
    }

    @ViewBuilder private var all: some View {
        Text(store.unreadWords)
        WideButton("Mark all as read", .check) { store.send(.markAllAsReadButtonTapped) }
            .disabled(store.unreadCount == 0 || store.isChangingAll)
        WideButton("Delete all", kind: .danger) { store.send(.deleteAllButtonTapped) }
            .disabled(store.isChangingAll)
    }

    @ViewBuilder private var list: some View {
        let visible = store.visibleNotifications
        if !visible.isEmpty {
            ForEach(visible) { item in
                NotificationCard(item: item, standing: alerts.standing(of: item), store: store)
            }
        } else if store.isLoading {
            LoadingLine(words: "Loading notifications …")
        } else {
            EmptyState(.bell, store.emptyTitle, store.emptyWords)
        }
    }
}

struct NotificationCard: View {
    let item: NotificationItem
    let standing: AlertNewsFeature.Standing
    let store: StoreOf<NotificationFeature>

    var body: some View {
        let isUnread = item.readAt == nil
        Card(tone: tone) {
            HStack(alignment: .top, spacing: 12) {
                symbol.picture
                VStack(alignment: .leading, spacing: 4) {
                    HStack(spacing: 8) {
                        if isUnread { Text("New").font(.footnote).bold() }
                        Text(item.title).font(.headline)
                    }
                    Text(item.body)
                    Quiet(.when(item.createdAt))
                }
            }
            .accessibilityElement(children: .combine)
            HStack(spacing: 16) {
                if NotificationSubject(item) != nil {
                    Button("Open") { store.send(.notificationTapped(item.id)) }
                        .accessibilityLabel("Open: \(item.title)")
                }
                if store.state.canEndSession(of: item) {
                    Button("End it", role: .destructive) {
                        store.send(.endSessionButtonTapped(item.id))
                    }
                    .accessibilityLabel("End its session: \(item.title)")
                }
                if isUnread {
                    Button("Mark as read") { store.send(.markAsReadButtonTapped(item.id)) }
                        .accessibilityLabel("Mark as read: \(item.title)")
                        .disabled(store.inFlight.contains(item.id))
                }
                Spacer()
                Menu("More") {
                    Button("Delete", role: .destructive) {
                        store.send(.deleteButtonTapped(item.id))
                    }
                    .accessibilityLabel("Delete: \(item.title)")
                    .disabled(store.inFlight.contains(item.id))
                }
                .accessibilityLabel("More: \(item.title)")
            }
            .frame(minHeight: 44)
        }
    }

    private var tone: CardTone {
        if standing == .end { return .fine }
        let isCurrent = item.type == .alert && item.readAt == nil && standing == .current
        return isCurrent ? .critical : .plain
    }

    private var symbol: Symbol {
        switch standing {
        case .current: item.type.symbol
        case .past: .bell
        case .end: .check
        }
    }
}

extension NotificationType {
    fileprivate var symbol: Symbol {
        switch self {
        case .alert: .alert
        case .ping: .bell
        case .checkIn: .check
        case .contactAdded, .contactRemoved: .profile
        case .roleChanged: .dependents
        case .system: .home
        }
    }
}
