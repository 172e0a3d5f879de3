import API
import Clients

/// How a browser stands with its messages, as its page or its service worker says.
struct PushReport: Decodable, Sendable {
    struct Subscription: Decodable, Sendable {
        var endpoint: String
        var keys: PushKeys
    }

    /// The user that is on the page; nil from the service worker, which knows of no page.
    var user: String?
    /// `PushStatus.Permission`; nil from the service worker.
    var permission: String?
    /// Someone wants messages here: without an endpoint the browser subscribes, and reports again.
    var wants: Bool?
    var isPutOff: Bool?
    var hasFailed: Bool?
    var subscription: Subscription?
    /// The key for which the browser has subscribed.
    var key: String?
    /// The server has had this address before; without a subscription, some address.
    var isKnown: Bool?
}

/// The answer to a report.
struct PushReportReply: Encodable, Equatable, Sendable {
    /// The server's present key; nil where the browser needs none.
    var key: String?
    /// The browser is registered for the present key.
    var isOn: Bool
}
