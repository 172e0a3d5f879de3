import Domain
import Foundation

/// Work that only one server at a time does. The raw values are stored.
public enum SharedTask: String, Sendable, CaseIterable {
    case cleanUp = "clean-up"
    case metrics = "figures"
    case deviceTests = "device-tests"
}

extension Transaction {
    /// Takes or renews a task's lease until `end`. Returns false if another server holds the lease.
    /// The caller must have locked the server's state.
    public func takeOn(_ task: SharedTask, as server: Int64, until end: Date) throws -> Bool {
        let names = ["\(task.rawValue).server", "\(task.rawValue).until"]
        let values: [Int64?] = try names.map {
            try value("SELECT value FROM server_state WHERE name = $1", [.text($0)])
        }
        if let other = values[0], other != server, let until = values[1],
            now < Date(milliseconds: until)
        {
            return false
        }
        for (name, value) in zip(names, [server, end.milliseconds]) {
            try execute(
                """
                INSERT INTO server_state (name, value) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """, [.text(name), .integer(value)])
        }
        return true
    }
}
