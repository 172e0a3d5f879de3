import Foundation
import HTTPTypes
import Hummingbird

/// Checks that a request comes from a page of this server. The cookie doesn't prove that, because a
/// browser sends it with each request to the host.
struct SameSiteCheck: Sendable {
    /// The server's origins, such as `https://example.com`. Default ports are omitted.
    let origins: Set<String>
    /// The header that the script adds to every request that changes something.
    let header: HTTPField.Name

    init(urls: [URL], header: HTTPField.Name) {
        self.header = header
        origins = Set(
            urls.map { url in
                let port = url.port.map { ":\($0)" } ?? ""
                return "\(url.scheme ?? "http")://\(url.host ?? "")\(port)".lowercased()
            })
    }

    /// Checks a request that changes something. Throws `otherSite` unless this server's script sent
    /// the request.
    func requireOwnPage(_ request: Request) throws(PageError) {
        // A form can't set headers. A script of another site would need a CORS preflight, which
        // this server doesn't answer.
        guard request.headers[header] == "1",
            let sender = request.headers[.origin]?.lowercased()
        else { throw PageError.otherSite }
        try refuseOthers(request)
        let isServed =
            request.head.authority.map {
                sender == "http://\($0)".lowercased() || sender == "https://\($0)".lowercased()
            } ?? false
        guard origins.contains(sender) || isServed else { throw PageError.otherSite }
    }

    /// Throws `otherSite` if the browser reports that another site requested the content.
    func refuseOthers(_ request: Request) throws(PageError) {
        guard let site = request.headers[.secFetchSite], site != "same-origin", site != "none"
        else { return }
        throw PageError.otherSite
    }
}
