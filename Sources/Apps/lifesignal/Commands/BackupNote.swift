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

    func save(besides database: String) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        try encoder.encode(self).write(
            to: URL(filePath: Self.path(of: database)), options: .atomic)
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
