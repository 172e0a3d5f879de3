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
        if let refusal { throw Failure(refusal) }
    }

    /// Throws `Failure` if the database was moved to another target. A second one would lack the
    /// changes since the move.
    func checkTarget(_ target: PostgreSQLAddress) throws {
        guard let known = self.target, !known.isEmpty, known != "\(target)" else { return }
        throw Failure(
            """
            \(database) was moved to \(known), not to \(target). To copy it to \(target), without \
            what happened since the move, stop the servers of \(known) and delete \(path) first.
            """)
    }

    /// Why no server may use the file; nil if it wasn't moved.
    var refusal: String? {
        guard let target else { return nil }
        return """
            \(database) was moved to \(target.isEmpty ? "PostgreSQL" : target). Give the URL of \
            that as --database. To return to the file, without what happened since the move, stop \
            the servers there and delete \(path).
            """
    }

    /// Where the data is now; empty if the mark can't be read; nil without a mark.
    private var target: String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let text = try? String(contentsOfFile: path, encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    }
}
