import Domain

/// The subject of a notification; a tap opens it.
public enum NotificationSubject: Equatable, Sendable {
    /// An alert. `user` is whom it concerns, or who took it on; nil when they are gone.
    case alert(AlertID, user: UserID?)
    /// A ping, and the other person: who asks, or who answered.
    case ping(PingID, user: UserID?)
    /// A person: they checked in, were added, or changed roles.
    case person(UserID)

    /// The person a notification is about, or who acted.
    var user: UserID? {
        switch self {
        case .alert(_, let user), .ping(_, let user): user
        case .person(let user): user
        }
    }

    /// nil when there is nothing to open: a contact that is gone, a word of the system's.
    public init?(_ item: NotificationItem) {
        if let alert = item.alertID {
            self = .alert(alert, user: item.aboutUserID)
        } else if let ping = item.pingID {
            self = .ping(ping, user: item.aboutUserID)
        } else if let user = item.aboutUserID, item.type != .contactRemoved {
            self = .person(user)
        } else {
            return nil
        }
    }
}
