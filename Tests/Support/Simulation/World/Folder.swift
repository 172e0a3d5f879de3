import Foundation

/// A run's folder, on tmpfs if available. Deleted with the run.
final class Folder: Sendable {
    let path: String

    init() throws {
        let memory = "/dev/shm"
        let base =
            FileManager.default.isWritableFile(atPath: memory)
            ? memory : FileManager.default.temporaryDirectory.path
        var template = Array((base + "/lifesignal-simulation-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        path = template.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { String(cString: $0) } ?? ""
        }
    }

    func file(_ name: String) -> String { path + "/" + name }

    /// Copies a database as a kill leaves it: the file and its log, without a flush, and the
    /// `LifeNote` with its file's time.
    func copy(_ source: String, to destination: String) throws {
        for suffix in ["", "-wal", ".lock"]
        where FileManager.default.fileExists(atPath: source + suffix) {
            try FileManager.default.copyItem(atPath: source + suffix, toPath: destination + suffix)
        }
        #if !canImport(Darwin)
        var status = stat()
        guard stat(source + ".lock", &status) == 0 else { return }
        utimensat(AT_FDCWD, destination + ".lock", [status.st_atim, status.st_mtim], 0)
        #endif
    }

    /// Removes a database with all files of SQLite and the server beside it.
    func remove(_ database: String) {
        let folder = URL(fileURLWithPath: path)
        let name = URL(fileURLWithPath: database).lastPathComponent
        for file in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        where file == name || file.hasPrefix(name + "-") || file.hasPrefix(name + ".") {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(file))
        }
    }

    /// Removes the databases that restores have kept.
    func removeOld(_ database: String) throws {
        let name = URL(fileURLWithPath: database).lastPathComponent + ".before-restore"
        for file in try FileManager.default.contentsOfDirectory(atPath: path)
        where file.hasPrefix(name) {
            try FileManager.default.removeItem(atPath: self.file(file))
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
