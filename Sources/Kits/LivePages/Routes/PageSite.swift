import HTTPTypes
import Hummingbird

/// An app's names and files, and the page around the parts.
public struct PageSite: Sendable {
    /// The name of the session's cookie; over TLS it has the prefix `__Host-`.
    public var cookieName: String
    /// The header that the script sends with every request that changes something.
    public var requestHeader: HTTPField.Name
    public var document: Document
    /// The service worker's page, for when there is no connection.
    public var shell: Asset
    /// The page that is shown while another page of the browser gets its new cookie.
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
    /// The address that the request comes from, by the word of the proxy if that is trusted.
    func address(of request: Request, trustsProxy: Bool) -> String
    /// The place by which the anonymous sessions of an address are counted.
    static func origin(ofAddress address: String) -> VisitorOrigin
    /// Runs `action` when the connection is gone.
    func onClose(_ action: @escaping @Sendable () -> Void)
}

extension PageContext {
    public static func origin(ofAddress address: String) -> VisitorOrigin {
        VisitorOrigin(address: address)
    }
}
