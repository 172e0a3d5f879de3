import API
import Clients

/// The state of a browser's push subscription, reported by a page or by the service worker.
struct PushReport: Decodable, Sendable {
    struct Subscription: Decodable, Sendable {
        var endpoint: String
        var keys: PushKeys
    }

    /// The id of the user on the page. Nil from the service worker, which doesn't know the user.
    var user: String?
    /// A `PushStatus.Permission`; nil in a report from the service worker.
    var permission: String?
    /// True if the user wants notifications in this browser. A browser without a subscription then
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

struct PushReportReply: Encodable, Equatable, Sendable {
    /// The server's current key; nil if the browser needs none.
    var key: String?
    /// True if the browser is registered for the current key.
    var isOn: Bool
}
