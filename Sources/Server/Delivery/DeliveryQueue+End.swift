import Foundation

extension DeliveryQueue {
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
