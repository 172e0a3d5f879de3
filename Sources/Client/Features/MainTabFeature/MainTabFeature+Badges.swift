import Domain

extension MainTabFeature.State {
    /// The number on a tab's badge; 0 shows none.
    public func badge(of tab: MainTabFeature.Tab) -> Int {
        switch tab {
        case .home: home.cards.requests.count
        case .profile: 0
        case .responders: responders.pendingPingsCount
        case .dependents: dependents.nonResponsiveDependentsCount
        }
    }

    /// The badge of the bell.
    public var unreadNotificationsCount: Int { notifications.unreadCount }

    /// The unread notification of a contact that somebody else has added. Contacts added here are
    /// left out, also while the answer to the addition is on its way.
    public var newContact: NotificationItem? {
        guard !responders.addContact.isAdding, !dependents.addContact.isAdding else { return nil }
        return notifications.notifications.first { item in
            guard item.type == .contactAdded, item.readAt == nil else { return false }
            guard let user = item.aboutUserID, let time = added[user] else { return true }
            return item.createdAt > time
        }
    }
}
