import Domain

/// The subject of a notification, which a tap opens.
public enum NotificationSubject: Equatable, Sendable {
    /// An alert. `user` is the person in need, or the responder who acknowledged it; nil if that
    /// account was deleted.
    case alert(AlertID, user: UserID?)
    /// A ping. `user` is the other person, who has asked or answered.
    case ping(PingID, user: UserID?)
    /// A person who has checked in, was added, or has changed roles.
    case person(UserID)

    /// The person that the notification is about, or the person who acted.
    var user: UserID? {
        switch self {
        case .alert(_, let user), .ping(_, let user): user
        case .person(let user): user
        }
    }

    var alert: AlertID? { if case .alert(let id, _) = self { id } else { nil } }

    /// Returns nil if there is nothing to open, as for a removed contact or a message from the
    /// system.
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
