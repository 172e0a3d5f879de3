import ComposableArchitecture
import Domain
import Features
import Foundation
import LivePages

/// The addresses of the pages, and what opening one means.
enum WebPath {
    static let notifications = "/notifications"
    static let settings = "/settings"
    static let addition = "/add/"

    /// As routes of the server.
    static let all =
        MainTabFeature.Tab.allCases.map(\.path) + [notifications, settings, "\(addition){id}"]
}

extension MainTabFeature.Tab {
    var path: String { self == .home ? "/" : "/\(rawValue)" }
}

extension MainTabFeature.State {
    /// Where the person is.
    var path: String {
        if isNotificationCentrePresented { return WebPath.notifications }
        return selectedTab == .profile && profile.settings != nil
            ? WebPath.settings : selectedTab.path
    }

    var title: String {
        switch path {
        case WebPath.notifications: "Notifications"
        case WebPath.settings: "Settings"
        default: selectedTab.title
        }
    }

    /// What leads from here to an address of these pages; empty for one that is none.
    func actions(opening path: String) -> [MainTabFeature.Action] {
        var actions: [MainTabFeature.Action] = []
        if isNotificationCentrePresented, path != WebPath.notifications {
            actions.append(.notificationCentreDismissed)
        }
        switch path {
        case WebPath.notifications:
            actions.append(.notificationCentreButtonTapped)
        case WebPath.settings:
            if selectedTab != .profile { actions.append(.tabSelected(.profile)) }
            if profile.settings == nil { actions.append(.profile(.settingsButtonTapped)) }
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
    var main: MainTabFeature.State? { if case .main(let main) = screen { main } else { nil } }

    var outline: Outline {
        guard let main else {
            return Outline(
                path: "/", title: signedIn == nil ? "LifeSignal: sign in" : "LifeSignal",
                user: signedIn?.userID.description ?? "")
        }
        let count = main.unreadNotificationsCount
        return Outline(
            path: main.path, title: "\(count > 0 ? "(\(count)) " : "")\(main.title) · LifeSignal",
            user: main.userID.description)
    }

    /// What opening an address means. The link of a code is completed with the server's own
    /// address.
    func actions(opening path: String, publicURL: URL) -> [AppFeature.Action] {
        if path.hasPrefix(WebPath.addition) {
            guard let url = URL(string: path, relativeTo: publicURL)?.absoluteURL else { return [] }
            // What is opened must not be hidden by the centre.
            let leaving: [AppFeature.Action] =
                main?.isNotificationCentrePresented == true
                ? [.screen(.presented(.main(.notificationCentreDismissed)))] : []
            return leaving + [.urlOpened(url)]
        }
        return main?.actions(opening: path).map { .screen(.presented(.main($0))) } ?? []
    }
}
