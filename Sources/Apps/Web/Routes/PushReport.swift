import API
import Clients

/// The state of a browser's push subscription, reported by a page or by the service worker.
struct PushReport: Decodable, Sendable {
    struct Subscription: Decodable, Sendable {
        var endpoint: String
        var keys: PushKeys
    }

    /// The id of the user whom the page shows. Nil in a report from the service worker, which
    /// doesn't know the user.
    var user: String?
    /// A `PushStatus.Permission`; nil in a report from the service worker.
    var permission: String?
    /// True if the user wants notifications here. If the browser has no subscription yet, it then
    /// subscribes and reports again.
    var wants: Bool?
    var isPutOff: Bool?
    var hasFailed: Bool?
    var subscription: Subscription?
    /// The server key that the subscription was made with.
    var key: String?
    /// True if the server already has this address. In a report without a subscription, true if the
    /// server has any address of this browser.
    var isKnown: Bool?
}

/// The answer to a report.
struct PushReportReply: Encodable, Equatable, Sendable {
    /// The server's current key; nil if the browser needs none.
    var key: String?
    /// True if the browser is registered for the current key.
    var isOn: Bool
}
