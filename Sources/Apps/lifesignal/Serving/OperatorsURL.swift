import Foundation
import HTTPClient
import Settings

extension SettingReader {
    /// Returns a URL that the operator has set. It must use HTTPS, or point to this machine.
    /// - Parameter mayBeInNetwork: whether plain HTTP within the operator's own network is allowed,
    ///   too.
    func operatorsURL(
        _ option: String?, _ name: String, mayBeInNetwork: Bool = false
    ) throws -> URL? {
        guard let text = given(option, name) else { return nil }
        let parsed = URL(string: text)
        guard parsed?.user == nil else {
            throw refusal(name, "must have no user name and no password")
        }
        guard let url = parsed, let host = url.host, !host.isEmpty,
            url.scheme == "https" || url.scheme == "http" && isNear(host, mayBeInNetwork)
        else {
            let place = mayBeInNetwork ? "an address of your own network" : "this machine itself"
            throw refusal(name, "must be https, or http to \(place)")
        }
        return url
    }

    private func isNear(_ host: String, _ mayBeInNetwork: Bool) -> Bool {
        let host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")).lowercased()
        if ["localhost", "127.0.0.1", "::1"].contains(host) { return true }
        guard mayBeInNetwork else { return false }
        if let bytes = HostAddress.bytes(of: host) { return !PublicAddress.isPublic(bytes) }
        // A name is in the operator's network if its domain is missing, or reserved for local
        // networks (RFC 6762, RFC 8375, and ICANN's reservation).
        return !host.contains(".")
            || [".local", ".internal", ".lan", ".home.arpa"].contains(where: host.hasSuffix)
    }
}
