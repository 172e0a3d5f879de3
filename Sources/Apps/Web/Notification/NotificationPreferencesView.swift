import Domain
import Features
import LivePages

extension NotificationPreferencesFeature {
    static func view(_ state: State) -> HTML<Action> {
        fieldset(.class("stack")) {
            legend(.class("unseen")) { "Notifications" }
            waitingBanner(state.waitingWords)
            for type in state.mutableTypes {
                checkbox(
                    type.words, isOn: state.preferences.allows(type), isDisabled: !state.canMute
                ) { _ in .muteToggled(type) }
            }
            p(.class("hint")) { "You always get alerts." }
        }
    }
}

extension NotificationType {
    var icon: Icon {
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
