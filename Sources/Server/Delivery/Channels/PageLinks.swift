import Domain
import Foundation
import Persistence

/// The addresses of the pages on which people answer without signing in. Each has a secret for one
/// person, one thing and one channel.
public struct PageLinks: Sendable {
    public static let none = PageLinks(alert: { _, _ in nil }, drill: { _, _ in nil })

    public var alert: @Sendable (UserID, AlertID) -> URL?
    public var drill: @Sendable (UserID, NotificationID) -> URL?

    public init(
        alert: @escaping @Sendable (UserID, AlertID) -> URL?,
        drill: @escaping @Sendable (UserID, NotificationID) -> URL?
    ) {
        self.alert = alert
        self.drill = drill
    }

    /// nil for news, and for an alert of one's own.
    func page(for delivery: LeasedDelivery) -> URL? {
        let record = delivery.record
        if delivery.purpose == .drill { return drill(record.userID, record.notification.id) }
        guard let owner = delivery.alertOwner, owner != record.userID else { return nil }
        return record.notification.alertID.flatMap { alert(record.userID, $0) }
    }
}
