import Foundation

/// A flag, else `LIFESIGNAL_…`, else the default.
struct SettingReader {
    let environment: [String: String]

    func text(_ flag: String?, _ name: String, default standard: String) -> String {
        flag ?? environment["LIFESIGNAL_\(name)"] ?? standard
    }

    /// A setting of the environment alone; nil when it is missing or empty.
    func optional(_ name: String) -> String? {
        environment["LIFESIGNAL_\(name)"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// An address that the operator has chosen: https, or this machine itself.
    func operatorsURL(_ flag: String?, _ name: String) throws -> URL? {
        guard let text = flag ?? optional(name) else { return nil }
        guard let url = URL(string: text), let host = url.host, !host.isEmpty, url.user == nil,
            url.scheme == "https"
                || url.scheme == "http"
                    && ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
        else {
            throw Failure("LIFESIGNAL_\(name) must be https, or http to this machine itself.")
        }
        return url
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
