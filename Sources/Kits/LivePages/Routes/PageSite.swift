import HTTPTypes
import Hummingbird

public struct PageSite: Sendable {
    /// The name of the session cookie, without the prefix that it gets over TLS.
    public var cookieName: String
    /// The header that the script adds to every request that changes something.
    public var requestHeader: HTTPField.Name
    public var document: Document
    /// The page that the service worker shows while offline.
    public var shell: Asset
    /// The page to show while another page of the browser, which has just signed in, gets the new
    /// cookie.
    public var waitingPage: String

    public init(
        cookieName: String, requestHeader: HTTPField.Name, document: Document, shell: String,
        waitingPage: String
    ) {
        self.cookieName = cookieName
        self.requestHeader = requestHeader
        self.document = document
        self.shell = Asset("shell", "text/html; charset=utf-8", Array(shell.utf8))
        self.waitingPage = waitingPage
    }
}

public protocol PageContext: RequestContext {
    /// The client's network address.
    var address: String { get }
    static func origin(ofAddress address: String) -> VisitorOrigin
    func onClose(_ action: @escaping @Sendable () -> Void)
}

extension PageContext {
    public static func origin(ofAddress address: String) -> VisitorOrigin {
        VisitorOrigin(address: address)
    }
}
