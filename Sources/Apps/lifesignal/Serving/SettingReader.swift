import Foundation

/// A flag, else `LIFESIGNAL_…`, else the default.
struct SettingReader {
    let environment: [String: String]

    func text(_ flag: String?, _ name: String, default standard: String) -> String {
        flag ?? environment["LIFESIGNAL_\(name)"] ?? standard
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
