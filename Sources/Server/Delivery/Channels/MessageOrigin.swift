import Domain
import Foundation
import Persistence

/// The row of a message. The URL of the provider's status callback contains it, because a callback
/// may arrive before the response to the send request.
public enum MessageOrigin: Equatable, Sendable {
    case delivery(DeliveryOrigin)
    case invitation(InvitationMessageID)

    /// Reads the origin from a callback's URL; nil if there is none.
    public init?(url: String) {
        let items = URLComponents(string: url)?.queryItems ?? []
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        if let user = value("user").flatMap({ UserID($0) }),
            let delivery = value("delivery").flatMap({ DeliveryID($0) }),
            let attempt = value("attempt").flatMap({ Int($0) })
        {
            self = .delivery(DeliveryOrigin(user: user, delivery: delivery, attempt: attempt))
        } else if let invitation = value("invitation").flatMap({ InvitationMessageID($0) }) {
            self = .invitation(invitation)
        } else {
            return nil
        }
    }

    func url(_ base: URL) -> URL {
        let items: KeyValuePairs<String, String> =
            switch self {
            case .delivery(let origin):
                [
                    "user": "\(origin.user)", "delivery": "\(origin.delivery)",
                    "attempt": "\(origin.attempt)",
                ]
            case .invitation(let message): ["invitation": "\(message)"]
            }
        return base.appending(queryItems: items.map { URLQueryItem(name: $0.key, value: $0.value) })
    }
}

/// Identifies one try of one delivery.
public struct DeliveryOrigin: Equatable, Sendable {
    public var user: UserID
    public var delivery: DeliveryID
    public var attempt: Int

    public init(user: UserID, delivery: DeliveryID, attempt: Int) {
        self.user = user
        self.delivery = delivery
        self.attempt = attempt
    }
}
