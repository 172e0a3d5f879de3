import Foundation

extension ServerKey {
    /// Encrypts a secret for the database, so that every server and every backup has it, but a copy
    /// of the database alone doesn't reveal it.
    /// - Parameter name: the name of the secret; `open` needs the same one.
    /// - Returns: nil if libcrypto fails.
    public func seal(_ secret: Data, name: String, random: RandomBytes) -> Data? {
        let nonce = random(AES128GCM.nonceLength)
        return AES128GCM.seal(
            secret, key: sealingKey, nonce: nonce, associated: Data(name.utf8)
        ).map { nonce + $0 }
    }

    /// - Returns: nil if the key or the name differs, or the ciphertext was changed.
    public func open(_ sealed: Data, name: String) -> Data? {
        let nonce = Data(sealed.prefix(AES128GCM.nonceLength))
        return AES128GCM.open(
            Data(sealed.dropFirst(nonce.count)), key: sealingKey, nonce: nonce,
            associated: Data(name.utf8))
    }

    private var sealingKey: Data { derived("sealing", Data()).prefix(AES128GCM.keyLength) }

    /// Returns the topic that lets a push service replace older news about a subject for one
    /// person: 16 bytes that reveal neither the person nor the subject.
    public func pushTopic(person: UUID, subject: String) -> Data {
        derived("push-topic", Data(person.uuidString.utf8) + Data(subject.utf8)).prefix(16)
    }

    /// Returns the hash that identifies a push endpoint's address. Look-ups use the hash, because
    /// the address is a secret.
    public func hash(pushAddress: String) -> Data {
        derived("push-address", Data(pushAddress.utf8))
    }

    func receiptCode(_ receipt: Data) -> Data { derived("receipt", receipt) }
}

/// A device's receipt for a delivery. It is sent inside the encrypted message and returned
/// unchanged; it is never stored.
public struct ReceiptToken: Equatable, Sendable {
    public var person: UUID
    public var delivery: UUID
    /// When the token expires, in whole seconds.
    public var expiresAt: Date

    /// The length in bytes: both ids, the expiry, and the code over them.
    static let length = 16 + 16 + 8 + 32
    /// The token's length in characters of base64url.
    public static let textLength = length * 4 / 3

    public init(person: UUID, delivery: UUID, expiresAt: Date) {
        self.person = person
        self.delivery = delivery
        self.expiresAt = Date(timeIntervalSince1970: expiresAt.timeIntervalSince1970.rounded(.up))
    }

    /// - Returns: nil if the text wasn't made with this key.
    public init?(_ text: String, key: ServerKey) {
        guard text.utf8.count == Self.textLength, let bytes = Base64URL.decode(text),
            bytes.count == Self.length
        else { return nil }
        let content = Data(bytes.prefix(40))
        guard Digest.areEqual(key.receiptCode(content), Data(bytes.suffix(32))) else { return nil }
        person = UUID(content.prefix(16))
        delivery = UUID(content.dropFirst(16).prefix(16))
        let seconds = content.suffix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        expiresAt = Date(timeIntervalSince1970: TimeInterval(seconds))
    }

    /// Returns the token as 96 characters of base64url.
    public func text(key: ServerKey) -> String {
        let seconds = Int64(expiresAt.timeIntervalSince1970)
        let content =
            person.bytes + delivery.bytes + withUnsafeBytes(of: seconds.bigEndian) { Data($0) }
        return Base64URL.encode(content + key.receiptCode(content))
    }
}

extension UUID {
    var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }

    init(_ bytes: Data) {
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        self.init(uuid: uuid)
    }
}
