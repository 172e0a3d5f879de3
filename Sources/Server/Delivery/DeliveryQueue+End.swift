import Domain
import Foundation

extension DeliveryQueue {
    static let pushServices: Set<DeliveryChannel> = [.webPush, .apns, .fcm]
    /// The maximum number of concurrent tries for one person. All devices of the person are tried
    /// at the same time, because a push service accepts a message immediately, and one that hangs
    /// must not delay the other devices.
    static let triesPerUserOfPushServices = PushEndpoint.limit

    /// How the turn of a row ended.
    enum End {
        /// Nothing was sent.
        case notTried
        /// Another message about the same alert to the endpoint is in flight.
        case blocked
        /// Another server holds the recipient's lease.
        case busy
        case done
        /// The message was sent, but the try took long.
        case slow
        /// The endpoint backs off until this time.
        case rests(until: Date)
    }
}
