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
    /// Home, which has the buttons of a reminder, a ping and a drill.
    case home
    /// The notification centre.
    case centre

    /// The person that the notification is about, or the person who acted.
    var user: UserID? {
        switch self {
        case .alert(_, let user), .ping(_, let user): user
        case .person(let user): user
        case .home, .centre: nil
        }
    }

    var alert: AlertID? { if case .alert(let id, _) = self { id } else { nil } }

    /// The subject that a tap on a push message opens, as in a browser. Pings and persons without
    /// buttons have a sheet here.
    /// - Parameters:
    ///   - user: the person that the message is about.
    ///   - hasButtons: true if the message has buttons that this version knows.
    public init(
        pushed type: NotificationType?, alert: AlertID?, ping: PingID?, user: UserID?,
        recipient: UserID?, hasButtons: Bool
    ) {
        if let alert {
            self = .alert(alert, user: user)
        } else if hasButtons {
            self = .home
        } else if let ping {
            self = .ping(ping, user: user)
        } else if let user, user != recipient, type != .contactRemoved {
            self = .person(user)
        } else {
            self = .centre
        }
    }

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
