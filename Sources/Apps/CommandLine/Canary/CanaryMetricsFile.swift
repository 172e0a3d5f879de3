import Foundation

/// The file of the last round's metrics, for the textfile collector of the node exporter.
struct CanaryMetricsFile {
    let path: String

    /// Replaces the whole file at once. All users may read it, because the node exporter has a user
    /// of its own and the file holds no secret.
    func write(_ text: String) throws {
        // The node exporter ignores names that don't end in .prom.
        let beside = path + ".new"
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: beside))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: beside)
            guard rename(beside, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            unlink(beside)
            throw error
        }
    }
}
