import Domain
import Foundation

extension DeliveryQueue {
    static let pushServices: Set<DeliveryChannel> = [.webPush, .apns, .fcm]
    /// A push service takes a message at once, and one that hangs must not keep a person's other
    /// devices waiting: all of them are told at the same time.
    static let triesPerUserOfPushServices = PushEndpoint.limit

    /// How the turn of a row ended.
    enum End {
        /// Nothing was sent.
        case notTried
        /// Another message about the same alert is on its way to the endpoint.
        case blocked
        /// Another server had the recipient.
        case busy
        case done
        /// It was sent, and that took long.
        case slow
        /// The endpoint gets nothing until then.
        case rests(until: Date)
    }
}
