import Domain

extension NotificationType {
    /// The heading of a list.
    public var words: String {
        switch self {
        case .alert: "Alerts"
        case .ping: "Pings"
        case .checkIn: "Check-ins"
        case .contactAdded: "New contacts"
        case .contactRemoved: "Removed contacts"
        case .roleChanged: "Changes of roles"
        case .system: "From LifeSignal"
        }
    }
}

extension NotificationFeature.State {
    public var unreadWords: String { unreadCount == 0 ? "All read" : "\(unreadCount) unread" }

    public var earlierWords: String {
        earlier == .loading ? "Loading …" : "Show earlier notifications"
    }

    /// In place of an empty list.
    public var emptyTitle: String {
        notifications.isEmpty ? "Nothing yet" : "Nothing of this kind"
    }
    public var emptyText: String {
        notifications.isEmpty
            ? "Notifications are kept here for 30 days, and for 7 days after you read them."
            : "There are others: choose “Everything” to see them."
    }
}

extension NotificationPreferencesFeature.State {
    public var waitingWords: String? {
        isWaitingToBeSent ? "This choice is waiting to be sent." : nil
    }
}
