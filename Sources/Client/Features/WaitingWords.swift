import Clients

extension [WaitingAction] {
    /// The queued actions in words, in the order of sending: "an alert, 2 check-ins and a change of
    /// your profile".
    public var inWords: String {
        var kinds: [WaitingAction.Kind] = []
        for action in self where !kinds.contains(action.kind) { kinds.append(action.kind) }
        let parts = kinds.map { kind in kind.words(count: count { $0.kind == kind }) }
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }
}

extension WaitingAction.Kind {
    func words(count: Int) -> String {
        let (one, many) =
            switch self {
            case .raiseAlert: ("an alert", "alerts")
            case .endAlert: ("the end of an alert", "ends of alerts")
            case .checkIn: ("a check-in", "check-ins")
            case .ping: ("a ping", "pings")
            case .respondToPing: ("an answer to a ping", "answers to pings")
            case .clearPing: ("a ping that you cleared", "pings that you cleared")
            case .updateProfile: ("a change of your profile", "changes of your profile")
            case .updateSettings:
                ("a change of your interval or reminders", "changes of your interval or reminders")
            case .changeRoles: ("a change of roles", "changes of roles")
            case .updatePreferences:
                ("a change of your notifications", "changes of your notifications")
            case .markAsRead: ("a notification that you read", "notifications that you read")
            case .deleteNotification:
                ("a notification that you deleted", "notifications that you deleted")
            }
        return count == 1 ? one : "\(count) \(many)"
    }
}
