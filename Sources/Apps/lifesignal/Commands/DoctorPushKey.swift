import Cryptography
import Foundation
import Persistence

extension Examination {
    static func pushKey(_ path: String, _ settings: ServeSettings) -> Examination? {
        // The database may be missing or have an old schema. No key is stored then.
        let found = try? SQLiteFile.read(path) {
            (try $0.sealed(.pushKey), try $0.serverState().keyFingerprint)
        }
        return pushKey(sealed: found?.0, fingerprint: found?.1, settings)
    }

    /// Returns nil if the server's key can't be read, or isn't the one of the database: `key` says
    /// so, and nothing is known of this key.
    /// - Parameters:
    ///   - sealed: the encrypted key in the database; nil if there is none yet.
    ///   - fingerprint: the fingerprint of the server key of the database.
    static func pushKey(
        sealed: Data?, fingerprint: Int64?, _ settings: ServeSettings
    ) -> Examination? {
        let subject = "Web Push"
        guard let sealed else {
            return .init(
                grade: .good, subject: subject, finding: "the key is made at the first start")
        }
        let present = fingerprint.flatMap { settings.key.find($0) }
        guard fingerprint == nil || present != nil || settings.acceptsNewKey else { return nil }
        let own: ServerKey?
        do {
            own = try settings.key.read()
        } catch {
            return nil
        }
        let key = present ?? own
        guard key?.open(sealed, name: ServerSecret.pushKey.rawValue) != nil else {
            return .init(
                grade: .note, subject: subject,
                finding: """
                    browsers have subscribed with a key that \(settings.key.name) can't decrypt; \
                    LifeSignal must be opened once in each of them before it gets messages again
                    """,
                mend: "Put the former key file back, if there is one, before you start a server.")
        }
        return .init(grade: .good, subject: subject, finding: "the key exists and can be decrypted")
    }
}
