import HTTPTypes
import Hummingbird

/// An app's names and files, and its HTML document.
public struct PageSite: Sendable {
    /// The name of the session cookie; over TLS it gets the prefix `__Host-`.
    public var cookieName: String
    /// The header that the script adds to every modifying request.
    public var requestHeader: HTTPField.Name
    public var document: Document
    /// The page that the service worker shows while offline.
    public var shell: Asset
    /// The page for a browser whose other page has just signed in and is about to get a new cookie.
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

/// The context of a page's request.
public protocol PageContext: RequestContext {
    /// Returns the client's address, as reported by the proxy if it is trusted.
    func address(of request: Request, proxyHops: Int) -> String
    /// Returns the origin that an address counts for in the quotas of anonymous sessions.
    static func origin(ofAddress address: String) -> VisitorOrigin
    /// Runs `action` when the connection is closed.
    func onClose(_ action: @escaping @Sendable () -> Void)
}

extension PageContext {
    public static func origin(ofAddress address: String) -> VisitorOrigin {
        VisitorOrigin(address: address)
    }
}
