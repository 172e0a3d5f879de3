import Domain
import Features
import LivePages

extension NotificationFeature {
    /// - Parameter alerts: tells which notifications about alerts are good news; nil while that is
    ///   unknown.
    static func view(_ state: State, alerts: AlertNewsFeature.State? = nil) -> HTML<Action> {
        let visible = state.visibleNotifications
        return div(.class("stack")) {
            errorNotice(state.error, dismiss: .dismissError)
            filters(state)
            if !state.notifications.isEmpty {
                div(.class("row")) {
                    p(.class("grow"), .role("status")) { state.unreadWords }
                    actionButton("Mark all as read", .check, .markAllAsReadButtonTapped).disabled(
                        state.unreadCount == 0 || state.isChangingAll)
                    actionButton("Delete all", class: "danger", .deleteAllButtonTapped).disabled(
                        state.isChangingAll)
                }
                .key("all")
            }
            if visible.isEmpty {
                if state.isLoading {
                    loadingLine("Loading notifications …")
                } else {
                    nothing(state)
                }
            } else {
                section(.labelled(by: "notifications-title")) {
                    h2(.id("notifications-title"), .class("unseen")) { "Your notifications" }
                    ul(.class("stack")) {
                        for item in visible {
                            notification(item, alerts?.standing(of: item) ?? .current, state).key(
                                "\(item.id)")
                        }
                    }.key(
                        "items")
                }
            }
            if state.canLoadEarlier || state.earlier == .loading {
                actionButton(state.earlierWords, class: "wide", .loadEarlierButtonTapped)
                    .disabled(!state.canLoadEarlier)
            }
            details(.class("card")) {
                summary { "Notification settings" }
                NotificationPreferencesFeature.view(state.preferences).map { .preferences($0) }
            }
            .key("preferences")
            confirmation(state.confirmDelete, id: "delete-question").map { .confirmDelete($0) }
        }
        .key("notifications").onAppear(.onAppear).onDisappear(.onDisappear)
    }
}

private func filters(_ state: NotificationFeature.State) -> HTML<NotificationFeature.Action> {
    div(.class("row")) {
        div(.class("grow")) {
            field(
                "Show", id: "filter",
                control: select(.name("filter")) {
                    option(.value(""), .selected(state.selectedFilter == nil)) { "Everything" }
                    for type in NotificationType.allCases {
                        option(.value(type.rawValue), .selected(state.selectedFilter == type)) {
                            type.words
                        }
                    }
                }
                .onChoose { .filterSelected(NotificationType(rawValue: $0)) })
        }
        checkbox("Unread only", isOn: state.showUnreadOnly) { _ in .showUnreadOnlyToggled }
    }
    .key("filters")
}

private func nothing(_ state: NotificationFeature.State) -> HTML<NotificationFeature.Action> {
    emptyState(.bell, state.emptyTitle, state.emptyWords)
}

private func notification(
    _ item: NotificationItem, _ standing: AlertNewsFeature.Standing,
    _ state: NotificationFeature.State
) -> HTML<NotificationFeature.Action> {
    let isUnread = item.readAt == nil
    return li(
        .class(
            "card notification", isUnread ? "unread" : "",
            item.type == .alert && isUnread && standing == .current ? "critical" : "",
            standing == .end ? "fine" : "")
    ) {
        div(.class("contact-head")) {
            icon(standing.icon ?? item.type.icon)
            div(.class("grow")) {
                h3 {
                    if isUnread {
                        span(.class("unread-mark")) { "New" }
                        " "
                    }
                    item.title
                }
                p { item.body }
                p(.class("hint")) { when(item.createdAt) }
            }
        }
        div(.class("row")) {
            if NotificationSubject(item) != nil {
                actionButton("Open", .notificationTapped(item.id)).attributes(
                    .label("Open: \(item.title)"))
            }
            if state.canEndSession(of: item) {
                actionButton("End it", class: "danger", .endSessionButtonTapped(item.id))
                    .attributes(.label("End its session: \(item.title)"))
            }
            if let session = item.sessionID, state.endedSessions.contains(session) {
                p(.class("hint")) { "The session is over." }
            }
            if isUnread {
                actionButton("Mark as read", class: "plain", .markAsReadButtonTapped(item.id))
                    .attributes(.label("Mark as read: \(item.title)"))
                    .disabled(state.inFlight.contains(item.id))
            }
            details(.class("menu")) {
                summary(.label("More: \(item.title)")) { "More" }
                actionButton("Delete", class: "danger", .deleteButtonTapped(item.id))
                    .attributes(.label("Delete: \(item.title)"))
                    .disabled(state.inFlight.contains(item.id))
            }
        }
    }
}
