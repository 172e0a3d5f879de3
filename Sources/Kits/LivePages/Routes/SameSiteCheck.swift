import Foundation
import HTTPTypes
import Hummingbird

/// Checks that a request comes from a page of ours. A cookie alone proves nothing: a browser sends
/// it with every request to its host.
struct SameSiteCheck: Sendable {
    /// The origin, such as `https://example.com`, with a non-default port only.
    let origin: String
    /// Sent by the script with every request that changes something.
    let header: HTTPField.Name

    init(publicURL: URL, header: HTTPField.Name) {
        self.header = header
        let port = publicURL.port.map { ":\($0)" } ?? ""
        origin = "\(publicURL.scheme ?? "http")://\(publicURL.host ?? "")\(port)".lowercased()
    }

    /// Throws `otherSite` unless our page's script sent this changing request.
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

    /// Refuses reads that the browser says another site has asked for.
    func refuseOthers(_ request: Request) throws(PageError) {
        guard let site = request.headers[.secFetchSite], site != "same-origin", site != "none"
        else { return }
        throw PageError.otherSite
    }
}
