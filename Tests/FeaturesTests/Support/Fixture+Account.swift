import Clients
import Domain
import Foundation

@testable import Features

extension ScheduleFeature.State {
    /// A new user's form after the first choice.
    static func new(_ kind: CheckInPlan.Kind) -> ScheduleFeature.State {
        var state = ofNewUser
        state.kind = kind
        return state
    }
}

extension Fixture {
    static func waiting(_ kinds: WaitingAction.Kind...) -> [WaitingAction] {
        zip(UInt8(1)..., kinds).map { number, kind in
            WaitingAction(
                id: UUID(uuid: (9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)), kind: kind,
                createdAt: now)
        }
    }

    static func session(
        _ number: UInt8, _ name: String, lastUsedAt: Date = now, isCurrent: Bool = false
    ) -> Session {
        Session(
            id: id(number), deviceName: name, createdAt: now.addingTimeInterval(-86_400),
            lastUsedAt: lastUsedAt, isCurrent: isCurrent)
    }

    static func notification(
        _ number: UInt8, _ type: NotificationType = .ping, minutesAgo: Double = 0,
        isRead: Bool = false, about: UserID? = nil,
        alert: AlertID? = nil, ping: PingID? = nil
    ) -> NotificationItem {
        NotificationItem(
            id: id(number), type: type, title: "Title \(number)", body: "Body \(number)",
            createdAt: now.addingTimeInterval(-60 * minutesAgo),
            readAt: isRead ? now : nil, aboutUserID: about, alertID: alert, pingID: ping
        )
    }
}
