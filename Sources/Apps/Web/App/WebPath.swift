import ComposableArchitecture
import Domain
import Features
import Foundation
import LivePages

enum WebPath {
    static let notifications = "/notifications"
    static let settings = "/settings"
    static let addition = "/add/"
    static let alerts = "/alerts/"
    static let joining = "/join/"
    /// Opens the scanner for a picture that another app has shared.
    static let scan = "/scan"
    /// Receives a picture that another app shares. The service worker answers these requests,
    /// because only the service worker can keep the picture.
    static let share = "/web/share"

    static let all =
        MainTabFeature.Tab.allCases.map(\.path)
        + [notifications, settings, scan, "\(addition){id}", "\(alerts){id}", "\(joining){id}"]
}

extension MainTabFeature.Tab {
    var path: String { self == .home ? "/" : "/\(rawValue)" }
}

extension MainTabFeature.State {
    var path: String {
        if isNotificationCentrePresented { return WebPath.notifications }
        return selectedTab == .profile && profile.settings != nil
            ? WebPath.settings : selectedTab.path
    }

    func actions(opening path: String) -> [MainTabFeature.Action] {
        var actions: [MainTabFeature.Action] = []
        if isNotificationCentrePresented, path != WebPath.notifications {
            actions.append(.notificationCentreDismissed)
        }
        switch path {
        case WebPath.notifications:
            actions.append(.notificationCentreButtonTapped)
        case WebPath.scan:
            // On this tab, the user can choose both roles for the code's owner, as after opening a
            // link.
            if selectedTab != .dependents { actions.append(.tabSelected(.dependents)) }
            actions.append(.dependents(.showQRScanner))
        case WebPath.settings:
            // Choosing the tab closes settings that were left open on it.
            let isElsewhere = selectedTab != .profile
            if isElsewhere { actions.append(.tabSelected(.profile)) }
            if isElsewhere || profile.settings == nil {
                actions.append(.profile(.settingsButtonTapped))
            }
        default:
            guard let tab = MainTabFeature.Tab.allCases.first(where: { $0.path == path }) else {
                return []
            }
            let isInSettings = tab == .profile && profile.settings != nil
            if selectedTab != tab || isInSettings { actions.append(.tabSelected(tab)) }
        }
        return actions
    }
}

extension AppFeature.State {
    var outline: Outline {
        guard let main else {
            return Outline(
                path: "/", title: signedIn == nil ? "LifeSignal: sign in" : "LifeSignal",
                user: signedIn?.userID.description ?? "")
        }
        let unread =
            main.unreadNotificationsCount > 0 ? "(\(main.unreadNotificationsNumber)) " : ""
        return Outline(
            path: main.path, title: "\(unread)\(main.title) · LifeSignal",
            user: main.userID.description)
    }

    /// A code's link also opens before sign-in. The page says whose code it is, and the app keeps
    /// the link until sign-in.
    func canOpen(_ path: String) -> Bool {
        let isInvitation = path.hasPrefix(WebPath.addition) || path.hasPrefix(WebPath.joining)
        return main != nil || isInvitation && screen?.is(\.signedOut) == true
    }

    /// Returns the actions that open a path. A code's link is completed with the server's address.
    func actions(opening path: String, publicURL: URL) -> [AppFeature.Action] {
        if path.hasPrefix(WebPath.addition) || path.hasPrefix(WebPath.joining) {
            guard let url = URL(string: path, relativeTo: publicURL)?.absoluteURL else { return [] }
            return [.urlOpened(url)]
        }
        if path.hasPrefix(WebPath.alerts) {
            return AlertID(String(path.dropFirst(WebPath.alerts.count))).map {
                [.notificationOpened(.alert($0, user: nil))]
            } ?? []
        }
        return main?.actions(opening: path).map { .screen(.presented(.main($0))) } ?? []
    }
}
