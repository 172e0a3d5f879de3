import Domain
import Foundation
import Persistence

/// The URL of the provider's status callback contains the origin, because a callback may arrive
/// before the response to the send request.
extension MessageOrigin {
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
