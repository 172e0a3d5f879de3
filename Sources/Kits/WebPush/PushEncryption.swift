import Cryptography
import Foundation

/// Encrypts a message for one browser (RFC 8291) as one record of `aes128gcm` (RFC 8188).
public enum PushEncryption {
    /// The body size in bytes that every push service accepts (RFC 8030, section 7.2).
    public static let bodyLimit = 4_096
    /// The header in bytes: the salt, the record size, the length of the key, and the key.
    static let headerLength = saltLength + 4 + 1 + P256.PublicKey.length
    static let saltLength = 16
    /// The maximum payload, 3,993 bytes: the body without the header, the tag, and the end mark.
    public static let payloadLimit = bodyLimit - headerLength - AES128GCM.tagLength - 1

    /// The lengths of padded payloads, in bytes. A push service sees the length of each body, which
    /// would otherwise reveal the kind of message. Nearly all notifications fit into the smallest
    /// length.
    static let paddedLengths = [1_024, 2_048, payloadLimit]

    /// Returns the body of a request.
    /// - Parameter random: makes a key pair and a salt for this message only.
    public static func encrypt(
        _ payload: Data, for subscription: PushSubscription, random: RandomBytes
    ) throws(PushRequestError) -> Data {
        guard let length = paddedLengths.first(where: { $0 >= payload.count }) else {
            throw .payloadTooLarge
        }
        return try encrypt(payload, paddedTo: length, for: subscription, random: random)
    }

    static func encrypt(
        _ payload: Data, paddedTo length: Int, for subscription: PushSubscription,
        random: RandomBytes
    ) throws(PushRequestError) -> Data {
        let length = max(length, payload.count)
        guard length <= payloadLimit else { throw .payloadTooLarge }
        guard let sender = P256.PrivateKey(random: random),
            let secret = sender.sharedSecret(with: subscription.publicKey)
        else { throw .encryptionFailed }
        let salt = random(saltLength)
        guard salt.count == saltLength else { throw .encryptionFailed }

        let keys = subscription.publicKey.bytes + sender.publicKey.bytes
        let input = HKDF.sha256(
            secret, salt: subscription.auth, info: Data("WebPush: info\0".utf8) + keys, length: 32)
        func derived(_ purpose: String, _ length: Int) -> Data {
            HKDF.sha256(
                input, salt: salt, info: Data("Content-Encoding: \(purpose)\0".utf8),
                length: length)
        }
        // The byte 2 marks the end of the payload in the last record. Zeros pad the rest.
        let text = payload + [2] + Data(count: length - payload.count)
        guard
            let sealed = AES128GCM.seal(
                text, key: derived("aes128gcm", AES128GCM.keyLength),
                nonce: derived("nonce", AES128GCM.nonceLength))
        else { throw .encryptionFailed }
        let recordSize = withUnsafeBytes(of: UInt32(bodyLimit).bigEndian) { Data($0) }
        let header = salt + recordSize + [UInt8(P256.PublicKey.length)] + sender.publicKey.bytes
        return header + sealed
    }
}
