import Domain
import Foundation
import Settings

extension SettingReader {
    /// Returns the server's address for people. Throws `SettingError` for other text.
    func publicURL(_ text: String, _ name: String) throws -> URL {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme),
            let host = url.host, !host.isEmpty, url.user == nil, url.query == nil,
            url.fragment == nil,
            let plain = URL(string: text.hasSuffix("/") ? String(text.dropLast()) : text)
        else {
            throw refusal(
                name,
                "must be like https://lifesignal.example.org or https://example.org/lifesignal")
        }
        guard PathPrefix(url.path(percentEncoded: true)) != nil else {
            throw refusal(
                name,
                """
                must have a path like /lifesignal, with letters, digits, "-", "_" or ".", and not \
                one of the server's own paths
                """)
        }
        return plain
    }

    /// Returns further addresses of the server. Throws `SettingError` for one that differs from
    /// `publicURL` in more than host and port.
    func otherURLs(_ options: [String], _ name: String, besides publicURL: URL) throws -> [URL] {
        let urls = try list(options, name).map { try self.publicURL($0, name) }
        guard
            urls.allSatisfy({
                $0.scheme == publicURL.scheme
                    && PathPrefix(of: $0) == PathPrefix(of: publicURL)
            })
        else { throw refusal(name, "must have the scheme and the path of --public-url") }
        return urls
    }
}
