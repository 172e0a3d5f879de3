import Cryptography
import Foundation
import Persistence
import Synchronization

/// The key by which push services know the servers of this database. nil until `wake`.
public final class PushKey: Sendable {
    private let value = Mutex<P256.PrivateKey?>(nil)

    public init() {}

    public var privateKey: P256.PrivateKey? { value.withLock { $0 } }
    /// The uncompressed point.
    public var publicKey: Data? { privateKey?.publicKey.bytes }

    func set(_ new: P256.PrivateKey) { value.withLock { $0 = new } }
}

extension SafetyNetwork {
    /// The key that the first server made. One that another server key has sealed is lost: a new
    /// one takes its place, and browsers that subscribed for the old one are removed when there is
    /// something to tell them.
    func loadPushKey(in transaction: Transaction) throws -> P256.PrivateKey {
        let name = ServerSecret.pushKey.rawValue
        if let sealed = try transaction.sealed(.pushKey), let bytes = key.open(sealed, name: name),
            let known = P256.PrivateKey(bytes: bytes)
        {
            return known
        }
        guard let new = P256.PrivateKey(random: random),
            let sealed = key.seal(new.bytes, name: name, random: random)
        else { throw NoPushKey() }
        try transaction.save(sealed, as: .pushKey)
        return new
    }
}

/// No key for push services could be made.
public struct NoPushKey: Error, CustomStringConvertible {
    public let description =
        "no key for Web Push could be made: this machine's source of randomness or libcrypto fails"
}
