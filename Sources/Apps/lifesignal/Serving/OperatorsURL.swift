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
        let isNear = mayBeInNetwork ? NearHost.isInOwnNetwork : NearHost.isThisMachine
        guard let url = parsed, let host = url.host, !host.isEmpty,
            url.scheme == "https" || url.scheme == "http" && isNear(host)
        else {
            let place = mayBeInNetwork ? "an address of your own network" : "this machine itself"
            throw refusal(name, "must be https, or http to \(place)")
        }
        return url
    }
}
