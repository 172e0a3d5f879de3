import Foundation
import HTTPClient

/// Reads settings: from the flag, else from `LIFESIGNAL_…`, else from the default.
struct SettingReader {
    let environment: [String: String]

    func text(_ flag: String?, _ name: String, default standard: String) -> String {
        flag ?? environment["LIFESIGNAL_\(name)"] ?? standard
    }

    /// Returns a setting that only the environment can have; nil if it is missing or empty.
    func optional(_ name: String) -> String? {
        environment["LIFESIGNAL_\(name)"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the values of a repeatable flag. In the environment they are separated by commas.
    func list(_ flags: [String], _ name: String) -> [String] {
        guard flags.isEmpty else { return flags }
        return optional(name)?.split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces) } ?? []
    }

    /// Returns a URL that the operator has set. It must use HTTPS, or point to this machine.
    /// - Parameter mayBeInNetwork: whether plain HTTP within the operator's own network is allowed,
    ///   too.
    func operatorsURL(
        _ flag: String?, _ name: String, mayBeInNetwork: Bool = false
    ) throws -> URL? {
        guard let text = flag ?? optional(name) else { return nil }
        guard let url = URL(string: text), let host = url.host, !host.isEmpty, url.user == nil,
            url.scheme == "https" || url.scheme == "http" && isNear(host, mayBeInNetwork)
        else {
            let place = mayBeInNetwork ? "an address of your own network" : "this machine itself"
            throw Failure("LIFESIGNAL_\(name) must be https, or http to \(place).")
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

    func integer(_ flag: Int?, _ name: String, default standard: Int, in range: ClosedRange<Int>)
        throws -> Int
    {
        let option = "--" + name.lowercased().replacingOccurrences(of: "_", with: "-")
        var value = flag ?? standard
        if flag == nil, let text = environment["LIFESIGNAL_\(name)"] {
            guard let number = Int(text) else {
                throw Failure("LIFESIGNAL_\(name) must be a whole number, not \"\(text)\".")
            }
            value = number
        }
        guard range.contains(value) else {
            throw Failure("\(option) must be \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }

    func flag(_ flag: Bool, _ name: String) throws -> Bool {
        if flag { return true }
        switch environment["LIFESIGNAL_\(name)", default: "0"].lowercased() {
        case "1", "true", "yes": return true
        case "0", "false", "no", "": return false
        default: throw Failure("LIFESIGNAL_\(name) must be 1 or 0.")
        }
    }
}
