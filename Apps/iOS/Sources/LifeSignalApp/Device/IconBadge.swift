import ComposableArchitecture
import Features
import UserNotifications

/// The number on the app's icon.
enum IconBadge {
    /// - Parameter count: nil to leave the number of an earlier run.
    static func show(_ count: Int?) async {
        guard let count else { return }
        // Fails if the person allows no badges.
        try? await UNUserNotificationCenter.current().setBadgeCount(count)
    }
}

extension AppFeature.State {
    /// The sum of the tabs' badges. Zero while signed out; nil until the contacts are known.
    var iconBadge: Int? {
        switch screen {
        case nil: return nil
        case .onboarding, .signedOut: return 0
        case .main(let main):
            guard main.home.cards.contacts != nil else { return nil }
            return MainTabFeature.Tab.allCases.map { main.badge(of: $0) }.reduce(0, +)
        }
    }
}
