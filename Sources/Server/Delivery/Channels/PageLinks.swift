import Domain
import Foundation
import Persistence

/// The URLs of the pages on which people answer without signing in. Each contains a secret for one
/// person, one subject (alert, drill or session) and one channel.
public struct PageLinks: Sendable {
    public static let none = PageLinks(alert: { _, _ in nil }, drill: { _, _ in nil })

    public var alert: @Sendable (UserID, AlertID) -> URL?
    public var drill: @Sendable (UserID, NotificationID) -> URL?
    /// The page that ends a session.
    public var session: @Sendable (UserID, SessionID) -> URL?

    public init(
        alert: @escaping @Sendable (UserID, AlertID) -> URL?,
        drill: @escaping @Sendable (UserID, NotificationID) -> URL?,
        session: @escaping @Sendable (UserID, SessionID) -> URL? = { _, _ in nil }
    ) {
        self.alert = alert
        self.drill = drill
        self.session = session
    }

    /// Returns the recipient's page. Returns nil for their own alert, and if the delivery is about
    /// neither an alert nor a drill.
    func page(for delivery: LeasedDelivery) -> URL? {
        let record = delivery.record
        if delivery.purpose == .drill { return drill(record.userID, record.notification.id) }
        guard let owner = delivery.alertOwner, owner != record.userID else { return nil }
        return record.notification.alertID.flatMap { alert(record.userID, $0) }
    }
}
