import Foundation
import HTTPTypes
import Hummingbird

/// Checks that a request comes from a page of ours. A cookie alone proves nothing: a browser sends
/// it with every request to its host.
struct SameSiteCheck: Sendable {
    /// As `https://example.com`, with a port only where it is not the usual one.
    let origin: String
    /// Sent by the script with every request that changes something.
    let header: HTTPField.Name

    init(publicURL: URL, header: HTTPField.Name) {
        self.header = header
        let port = publicURL.port.map { ":\($0)" } ?? ""
        origin = "\(publicURL.scheme ?? "http")://\(publicURL.host ?? "")\(port)".lowercased()
    }

    /// For requests that change something. Throws `otherSite` unless the script of a page of
    /// ours has sent it.
    func requireOwnPage(_ request: Request) throws(PageError) {
        // No form can set a header, and a script elsewhere only after it has asked, which nothing
        // here answers.
        guard request.headers[header] == "1",
            let sender = request.headers[.origin]?.lowercased()
        else { throw PageError.otherSite }
        try refuseOthers(request)
        let isServed =
            request.head.authority.map {
                sender == "http://\($0)".lowercased() || sender == "https://\($0)".lowercased()
            } ?? false
        guard sender == origin || isServed else { throw PageError.otherSite }
    }

    /// For requests that only read: refused when the browser says that another site asks.
    func refuseOthers(_ request: Request) throws(PageError) {
        guard let site = request.headers[.secFetchSite], site != "same-origin", site != "none"
        else { return }
        throw PageError.otherSite
    }
}
