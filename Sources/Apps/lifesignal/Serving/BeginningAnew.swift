import Foundation

/// Decides whether a missing database may be created, so that a vanished one is not replaced by an
/// empty one. If a server has a key, it has had a database. It then creates a new one only if the
/// operator asks for it, by `--begin-anew` or by a file DATABASE.begin-anew.
/// The Debian package creates such a file together with the key.
struct BeginningAnew: Sendable {
    private let marker: String
    let isAllowed: Bool

    init(_ path: String, _ settings: ServeSettings) {
        marker = path + ".begin-anew"
        isAllowed =
            settings.beginsAnew || !settings.key.isThere
            || FileManager.default.fileExists(atPath: marker)
    }

    /// Removes the file, which is valid only once. Called when the database exists.
    func end() { try? FileManager.default.removeItem(atPath: marker) }
}
