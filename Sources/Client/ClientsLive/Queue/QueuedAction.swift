import Clients
import Domain
import Foundation

/// Something a person did that the server has not said yes to.
enum QueuedAction: Codable, Equatable, Sendable {
    case raiseAlert(AlertID)
    case endAlert(AlertID)
    case checkIn(CheckInID, occurredAt: Date)
    case ping(PingID, dependent: UserID)
    case respondToPing(PingID)
    case clearPing(PingID)
    case updateProfile(name: String?, emergencyNote: String?)
    case updateSettings(CheckInSettings)
    case changeRoles(UserID, ContactRoles)
    case updatePreferences(NotificationPreferences)
    case markAsRead(NotificationID)
    case deleteNotification(NotificationID)
}

/// An action with its place in the queue.
struct QueuedEntry: Equatable, Sendable, Identifiable {
    /// Also the key by which the server knows an edit.
    var id: UUID
    /// The order in which the person did things.
    var position: Int64
    var action: QueuedAction
    /// When the person did it, by this device's clock.
    var createdAt: Date

    var waiting: WaitingAction {
        WaitingAction(id: id, kind: action.kind, createdAt: createdAt, contact: action.contact)
    }
}

extension QueuedAction {
    /// Alerts have a way of their own, so that they never wait behind the pause of another thing.
    enum Lane: Hashable, Sendable, CaseIterable { case alerts, rest }

    var lane: Lane { rank == 0 ? .alerts : .rest }

    /// Alerts first, then check-ins, then the rest (product.md, "Offline").
    var rank: Int {
        switch self {
        case .raiseAlert, .endAlert: 0
        case .checkIn: 1
        default: 2
        }
    }

    /// Keeps the order of related actions even when the server fails on the first: later ones build
    /// on it, or undo it.
    enum Series: Hashable { case alerts, checkIn(CheckInID), pings, edits(WaitingAction.Kind) }

    var series: Series {
        switch self {
        case .raiseAlert, .endAlert: .alerts
        // Each stands for itself: a late one never moves the deadline back.
        case .checkIn(let id, _): .checkIn(id)
        case .ping, .clearPing: .pings
        default: .edits(kind)
        }
    }

    /// The contact it is about, where the action itself says so.
    var contact: UserID? {
        switch self {
        case .ping(_, let dependent): dependent
        case .changeRoles(let contact, _): contact
        default: nil
        }
    }

    var kind: WaitingAction.Kind {
        switch self {
        case .raiseAlert: .raiseAlert
        case .endAlert: .endAlert
        case .checkIn: .checkIn
        case .ping: .ping
        case .respondToPing: .respondToPing
        case .clearPing: .clearPing
        case .updateProfile: .updateProfile
        case .updateSettings: .updateSettings
        case .changeRoles: .changeRoles
        case .updatePreferences: .updatePreferences
        case .markAsRead: .markAsRead
        case .deleteNotification: .deleteNotification
        }
    }

    var operation: ClientOperation {
        switch self {
        case .raiseAlert: .raiseAlert
        case .endAlert: .endAlert
        case .checkIn: .checkIn
        case .ping: .ping
        case .respondToPing: .respondToPing
        case .clearPing: .clearPing
        case .updateProfile: .updateProfile
        case .updateSettings: .updateCheckInSettings
        case .changeRoles: .changeRoles
        case .updatePreferences: .updatePreferences
        case .markAsRead: .readNotification
        case .deleteNotification: .deleteNotification
        }
    }

    /// Something that does not exist any more counts as read or deleted.
    var isDoneWhenGone: Bool {
        switch self {
        case .markAsRead, .deleteNotification, .endAlert: true
        default: false
        }
    }
}

extension [QueuedEntry] {
    /// The order in which they go out.
    var inSendingOrder: [QueuedEntry] {
        sorted { ($0.action.rank, $0.position) < ($1.action.rank, $1.position) }
    }
}

/// An alert or a ping that the server knows by another id than the one it was made with here: one
/// that was open already.
struct Alias: Equatable, Sendable {
    var own: UUID
    var server: UUID
}
