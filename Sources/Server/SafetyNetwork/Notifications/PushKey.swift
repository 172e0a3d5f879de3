import Cryptography
import Foundation
import Persistence
import Synchronization

/// The key that identifies this database's servers to push services; nil until `ServerLife.wake`.
public final class PushKey: Sendable {
    private let value = Mutex<P256.PrivateKey?>(nil)

    public init() {}

    public var privateKey: P256.PrivateKey? { value.withLock { $0 } }
    /// An uncompressed point on P-256.
    public var publicKey: Data? { privateKey?.publicKey.bytes }

    func set(_ new: P256.PrivateKey) { value.withLock { $0 = new } }
}

extension Commands {
    /// Returns the push key that the first server made. If the server's key can't open it, returns
    /// a new push key. Browsers subscribe for the new one when they are opened. The old push key is
    /// kept, in case its server key is found.
    func loadPushKey(in transaction: Transaction) throws -> P256.PrivateKey {
        let sealed = try transaction.sealed(.pushKey)
        if let sealed, let known = open(sealed) { return known }
        let former = try transaction.sealed(.formerPushKey)
        if let sealed { try transaction.save(sealed, as: .formerPushKey) }
        if let former, let known = open(former) {
            try transaction.save(former, as: .pushKey)
            return known
        }
        guard let new = P256.PrivateKey(random: random),
            let sealed = key.seal(new.bytes, name: ServerSecret.pushKey.rawValue, random: random)
        else { throw NoPushKey() }
        try transaction.save(sealed, as: .pushKey)
        return new
    }

    private func open(_ sealed: Data) -> P256.PrivateKey? {
        key.open(sealed, name: ServerSecret.pushKey.rawValue).flatMap { P256.PrivateKey(bytes: $0) }
    }
}

public struct NoPushKey: Error, CustomStringConvertible {
    public let description =
        "no key for Web Push could be made: this machine's source of randomness or libcrypto fails"
}
