import Foundation

/// Decides whether to create a missing database, so that an empty database never replaces a lost
/// database. A server with a key has had a database. It then creates a new database only if the
/// operator asks for it: by `--begin-anew`, or by a file DATABASE.begin-anew. The Debian package
/// creates this file together with the key.
struct BeginningAnew: Sendable {
    private let marker: String
    let isAllowed: Bool

    init(_ path: String, _ settings: ServeSettings) {
        marker = path + ".begin-anew"
        isAllowed =
            settings.beginsAnew || !settings.key.isThere
            || FileManager.default.fileExists(atPath: marker)
    }

    /// Removes the file, which is valid only once. Called once the database exists.
    func end() { try? FileManager.default.removeItem(atPath: marker) }
}
