import Cryptography
import Foundation
import Persistence

extension Examination {
    static func key(_ path: String, _ settings: ServeSettings) -> Examination {
        // The database may be missing or have an old schema. No fingerprint is stored then.
        let state = try? SQLiteFile.read(path) { try $0.serverState() }
        return key(
            settings, fingerprint: state?.keyFingerprint, former: state?.formerKeys,
            elsewhere: "beside a backup")
    }

    /// - Parameters:
    ///   - fingerprint: the fingerprint of the key that the database was used with.
    ///   - former: the number of former keys that are accepted.
    ///   - place: where else to find that key, in words.
    static func key(
        _ settings: ServeSettings, fingerprint: Int64?, former: Int64?, elsewhere place: String
    ) -> Examination {
        let subject = "key"
        let name = settings.key.name
        let own: ServerKey?
        do {
            own = try settings.key.read()
        } catch {
            return .init(
                grade: .bad, subject: subject, finding: "\(error)",
                mend: wayToRead(settings) ?? "Put the key file from \(place) there.")
        }
        switch (own?.fingerprint, fingerprint) {
        case (nil, nil):
            return .init(
                grade: .note, subject: subject, finding: "there is none yet",
                mend: "lifesignal serve makes it at \(name).")
        case (nil, _):
            return .init(
                grade: .bad, subject: subject,
                finding: "there is none at \(name), and the database was used with one",
                mend: "Put the key file from \(place) there.")
        case (let own, let known?) where own != known && settings.key.find(known) != nil:
            return .init(
                grade: .bad, subject: subject,
                finding: "the database has a new key, and \(name) is still the former one",
                mend: """
                    Run lifesignal admin keys rotate again, or rename \(KeyFile.next(name)) to \
                    \(name).
                    """)
        case (let own, let known) where known != nil && own != known:
            return .init(
                grade: settings.acceptsNewKey ? .note : .bad, subject: subject,
                finding: "\(name) is not the key of this database",
                mend: "Put the key file from \(place) there.")
        case (_, _?) where settings.acceptsNewKey:
            return .init(
                grade: .note, subject: subject,
                finding: "\(name), and --accept-new-key is on: a start takes any other key, too",
                mend: "Remove LIFESIGNAL_ACCEPT_NEW_KEY from the settings.")
        case _ where former ?? 0 > 0:
            return .init(
                grade: .note, subject: subject, finding: "\(name); a former key is accepted, too",
                mend: "lifesignal admin keys forget ends it, and says what ends with it.")
        default:
            return openKey(settings.key) ?? .init(grade: .good, subject: subject, finding: name)
        }
    }

    /// Says how this user can read the key file; nil if its permissions aren't the cause. Gives the
    /// file only to the server's user: a server can't read a key file of another user.
    private static func wayToRead(_ settings: ServeSettings) -> String? {
        guard case .file(let path) = settings.key, access(path, R_OK) != 0, errno == EACCES else {
            return nil
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard access(folder, X_OK) == 0 else {
            return "Let \(NSUserName()) enter \(folder), or run this as the server's user."
        }
        let change = "chown \(NSUserName()) \(path) && chmod 600 \(path)"
        switch settings.database {
        case .file(let database):
            var status = stat()
            let isServers = stat(database, &status) == 0 && status.st_uid == geteuid()
            return isServers ? change : "Run this as the server's user."
        case .postgreSQL: return "Run this as the server's user. If this is that user: \(change)"
        }
    }

    /// Returns nil unless other users can read the key file.
    private static func openKey(_ key: KeySource) -> Examination? {
        guard let exposure = key.exposure else { return nil }
        return .init(grade: .bad, subject: "key", finding: exposure)
    }
}
