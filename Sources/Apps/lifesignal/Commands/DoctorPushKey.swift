import Cryptography
import Foundation
import Persistence

extension Examination {
    static func pushKey(_ path: String, _ settings: ServeSettings) -> Examination {
        // The database may be missing or have an old schema. No key is stored then.
        pushKey(sealed: (try? SQLiteFile.read(path) { try $0.sealed(.pushKey) }) ?? nil, settings)
    }

    /// - Parameter sealed: the encrypted key in the database; nil if there is none yet.
    static func pushKey(sealed: Data?, _ settings: ServeSettings) -> Examination {
        let subject = "Web Push"
        guard let sealed else {
            return .init(
                grade: .good, subject: subject, finding: "the key is made at the first start")
        }
        let key = (try? settings.key.read()) ?? nil
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
