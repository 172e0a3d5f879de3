import Foundation

/// A file with a secret.
public enum SecretFile {
    /// Returns the text without the newline at its end. Throws `SettingError` if the file can't be
    /// read, or if other users can read it.
    static func text(_ path: String, named name: String) throws -> String {
        guard let text = String(data: try bytes(path, named: name), encoding: .utf8) else {
            throw unreadable(path, name)
        }
        return text.trimmingCharacters(in: .newlines)
    }

    /// Throws `SettingError` if the file can't be read, or if other users can read it.
    /// - Parameter name: what names the file, for the error.
    public static func bytes(_ path: String, named name: String) throws -> Data {
        try checkOthersCannotRead(path, named: name)
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw unreadable(path, name)
        }
        return bytes
    }

    private static func unreadable(_ path: String, _ name: String) -> SettingError {
        SettingError("\(name): the file \(path) can't be read.")
    }

    /// Throws `SettingError` if other users can read the file. Ignores a missing file.
    /// - Parameter name: what names the file, for the error.
    public static func checkOthersCannotRead(_ path: String, named name: String) throws {
        var status = stat()
        guard stat(path, &status) == 0,
            isOpen(mode: UInt32(status.st_mode), owner: UInt32(status.st_uid))
        else { return }
        let mend = status.st_mode & 0o004 != 0 && status.st_uid == 0 ? "o-r" : "go-r"
        throw SettingError(
            "other users can read \(path) (\(name)); run: chmod \(mend) \(path)")
    }

    /// Returns true only if nothing has this path. A file whose folder this process may not enter
    /// is not missing.
    public static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// Whether users besides the owner can read a file. Root may give a file to a group: systemd
    /// passes credentials so, and packages their settings.
    static func isOpen(mode: UInt32, owner: UInt32) -> Bool {
        mode & (owner == 0 ? 0o004 : 0o044) != 0
    }
}
