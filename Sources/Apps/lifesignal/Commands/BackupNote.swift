import Foundation
import Persistence

/// The record of the last verified backup, stored beside the database as FILE.verified. The server
/// reads the record for the metric of the backup's age.
struct BackupNote: Codable, Equatable {
    /// A backup from further ahead was made by a clock that was wrong, so its age is unknown.
    private static let longestLead: TimeInterval = 86_400

    /// In seconds. The Prometheus rule LifeSignalBackupOld has the same limit.
    static let oldAge: Double = 36 * 3_600

    var verifiedAt: Date
    var contents: SQLiteFile.Contents

    static func path(of database: String) -> String { database + ".verified" }

    /// Replaces the record. Everybody on the machine can read it, because root may make the backup
    /// and the server's user has to read the record. It contains times and counts only.
    func save(besides database: String) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let content = try encoder.encode(self)
        let path = Self.path(of: database)
        let part = path + ".part"
        // A killed command may have left one.
        unlink(part)
        defer { unlink(part) }
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(errno) }
        defer { close(descriptor) }
        let written = content.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written == content.count else {
            // A disk that becomes full takes a part without an error.
            throw Self.failure(written < 0 ? errno : ENOSPC)
        }
        // Only root can give files away. Others' files are readable, too.
        var owner = stat()
        if geteuid() == 0, stat(database, &owner) == 0 {
            _ = fchown(descriptor, owner.st_uid, owner.st_gid)
        }
        guard fchmod(descriptor, 0o644) == 0, fsync(descriptor) == 0, rename(part, path) == 0 else {
            throw Self.failure(errno)
        }
    }

    private static func failure(_ error: Int32) -> Failure {
        Failure("\(String(cString: strerror(error))).")
    }

    /// Whether the record exists, but this user can't read it.
    static func isUnreadable(besides database: String) -> Bool {
        access(path(of: database), R_OK) != 0 && errno == EACCES
    }

    /// Returns nil if the file is missing or unreadable.
    static func load(besides database: String) -> BackupNote? {
        guard let data = FileManager.default.contents(atPath: path(of: database)) else {
            return nil
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try? decoder.decode(BackupNote.self, from: data)
    }

    /// Returns the age in seconds; infinity without a verified backup of a known age, so that the
    /// operator's alert on the age fires.
    static func age(besides database: String, at now: Date) -> Double {
        guard let note = load(besides: database) else { return .infinity }
        let age = now.timeIntervalSince(note.verifiedAt)
        return age < -longestLead ? .infinity : max(0, age)
    }
}
