import Cryptography
import Foundation
import Persistence

extension Examination {
    static func key(_ path: String, _ settings: ServeSettings) -> Examination {
        // The database may be missing or have an old schema. No fingerprint is stored then.
        let known = (try? SQLiteFile.read(path) { try $0.serverState().keyFingerprint }) ?? nil
        return key(settings, fingerprint: known, elsewhere: "beside a backup")
    }

    /// - Parameters:
    ///   - fingerprint: the fingerprint of the key that the database was used with.
    ///   - place: where else to find that key, in words.
    static func key(
        _ settings: ServeSettings, fingerprint: Int64?, elsewhere place: String
    ) -> Examination {
        let subject = "key"
        let name = settings.key.name
        let own: ServerKey?
        do {
            own = try settings.key.read()
        } catch {
            return .init(
                grade: .bad, subject: subject, finding: "\(error)",
                mend: "Put the key file from \(place) there.")
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
        case (let own, let known) where known != nil && own != known:
            return .init(
                grade: settings.acceptsNewKey ? .note : .bad, subject: subject,
                finding: "\(name) is not the key of this database",
                mend: "Put the key file from \(place) there.")
        default:
            return .init(grade: .good, subject: subject, finding: name)
        }
    }
}
