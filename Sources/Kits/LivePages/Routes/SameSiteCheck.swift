import Foundation
import HTTPTypes
import Hummingbird

/// Checks that a request comes from a page of this server. A cookie alone proves nothing, because a
/// browser sends it with every request to its host.
struct SameSiteCheck: Sendable {
    /// The origin, such as `https://example.com`. It includes the port only if that isn't the
    /// default.
    let origin: String
    /// The header that the script adds to every modifying request.
    let header: HTTPField.Name

    init(publicURL: URL, header: HTTPField.Name) {
        self.header = header
        let port = publicURL.port.map { ":\($0)" } ?? ""
        origin = "\(publicURL.scheme ?? "http")://\(publicURL.host ?? "")\(port)".lowercased()
    }

    /// Throws `otherSite` unless the script of a page of this server sent this modifying request.
    func requireOwnPage(_ request: Request) throws(PageError) {
        // A form can't set headers. A script of another site would need a CORS preflight, and this
        // server answers none.
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

    /// Rejects a read if the browser says that another site has requested it.
    func refuseOthers(_ request: Request) throws(PageError) {
        guard let site = request.headers[.secFetchSite], site != "same-origin", site != "none"
        else { return }
        throw PageError.otherSite
    }
}
