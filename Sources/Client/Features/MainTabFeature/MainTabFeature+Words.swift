import Domain

extension MainTabFeature.Tab {
    public var title: String {
        switch self {
        case .home: "Home"
        case .responders: "Responders"
        case .dependents: "Dependents"
        case .profile: "Profile"
        }
    }
}

extension MainTabFeature.State {
    /// The title of what the person looks at.
    public var title: String {
        if isNotificationCentrePresented { return "Notifications" }
        return selectedTab == .profile && profile.settings != nil ? "Settings" : selectedTab.title
    }

    /// The centre lies over the tab that it was opened from.
    public func shows(_ tab: MainTabFeature.Tab) -> Bool {
        tab == selectedTab && !isNotificationCentrePresented
    }

    /// The words after the number on the badge.
    public func badgeWords(of tab: MainTabFeature.Tab) -> String {
        let count = badge(of: tab)
        switch tab {
        case .home: return count == 1 ? "request" : "requests"
        case .responders: return "waiting for your answer"
        case .dependents, .profile:
            let isCalling = dependents.sortedDependents.contains {
                $0.watch?.status == .alertActive
            }
            guard isCalling else { return "not responding" }
            return count == 1 ? "needs help" : "need help"
        }
    }

    /// The latest notification for screen readers. Alerts are announced at once, elsewhere.
    public var news: String {
        // The centre shows it as a heading, and a new contact has a banner.
        guard !isNotificationCentrePresented,
            let newest = notifications.notifications.first, newest.readAt == nil,
            newest.type != .alert, newest.type != .contactAdded
        else { return "" }
        return newest.title
    }

    /// A new contact to be shown on every screen; an emergency comes first.
    public var newContactBanner: NotificationItem? {
        let isEmergency =
            home.alert.isOnOrBeingRaised || dependents.nonResponsiveDependentsCount > 0
        return isEmergency || isNotificationCentrePresented ? nil : newContact
    }

    /// Dependents who need the person, for a notice on every tab but theirs.
    public var troubled: [ContactData] {
        shows(.dependents) ? [] : dependents.inTrouble
    }

    /// "Ben is on it"; nil while no one is.
    public func helperWords(for contact: ContactData) -> String? {
        alertNews.acknowledgements[contact.id].map { $0.words(isMine: isOwn($0)) }
    }

    public func isOwn(_ acknowledgement: AlertRecord.Acknowledgement) -> Bool {
        UserID(acknowledgement.responderId) == userID
    }
}

extension ContactData {
    /// Why a dependent needs help.
    public var troubleWords: String {
        let name = ProfileRules.displayName(name)
        return watch?.status == .alertActive
            ? "\(name) has raised an alert" : "\(name) has not checked in"
    }
}
