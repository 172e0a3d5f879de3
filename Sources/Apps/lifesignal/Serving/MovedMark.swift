import Foundation
import Persistence

/// The file DATABASE.moved, which says that an SQLite database was copied to PostgreSQL. A server
/// on the old file would take the people who check in elsewhere for missing.
struct MovedMark: Sendable {
    private let path: String
    private let database: String

    init(_ database: String) {
        self.database = database
        path = database + ".moved"
    }

    /// Throws `Failure`.
    func write(_ target: PostgreSQLAddress) throws {
        do {
            try Data("\(target)\n".utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw Failure(
                """
                everything was copied, but \(path) can't be written, which keeps servers from \
                starting on the old file: \(error.localizedDescription)
                """)
        }
        // The server's user reads what root has written. If this fails, the refusal lacks the
        // address.
        chmod(path, 0o644)
    }

    /// Throws `Failure` if the database was moved.
    func check() throws {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        let text = try? String(contentsOfFile: path, encoding: .utf8)
        let target = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        throw Failure(
            """
            \(database) was moved to \(target.isEmpty ? "PostgreSQL" : target). Give the URL of \
            that as --database. To return to the file, without what happened since the move, stop \
            the servers there and delete \(path).
            """)
    }
}
