import Domain
import Foundation

extension DeliveryQueue {
    static let pushServices: Set<DeliveryChannel> = [.webPush, .apns, .fcm]
    /// The maximum number of concurrent tries for one person. All devices of the person are tried
    /// at the same time, because a push service accepts a message immediately, and a push service
    /// that hangs must not delay the other devices.
    static let triesPerUserOfPushServices = PushEndpoint.limit

    /// What became of a row that the queue handed out.
    enum End {
        /// Nothing was sent.
        case notTried
        /// Another message to the endpoint about the same alert is in flight.
        case blocked
        /// Another server holds the recipient's lease.
        case busy
        case done
        /// The message was sent, but the try took long.
        case slow
        /// The endpoint must not be tried again before this time.
        case rests(until: Date)
    }
}
