import Foundation
import Synchronization

/// The servers' only secret; all other secrets are derived from it. It is kept outside the
/// database. A stolen database is then not enough to guess sign-in codes or to sign webhooks.
///
/// After a rotation there are former keys (Docs/decisions.md, "Sign-in and secrets"). All copies of
/// a value share them, so a rotation reaches every holder at once. By the key that they come from,
/// there are three groups:
/// - Made with the current key, accepted from any key: codes from messages, all tokens and links,
///   receipts, challenges, and encrypted values. A webhook has one signature for each key.
/// - Looked up by all keys, and stored again with the current key where the value is known: blocked
///   numbers, push addresses, recovery codes.
/// - Made with the oldest key, so that rows, ids and lock names stay the same until it is
///   forgotten: addresses, mailboxes, devices, invited numbers and their senders, ids of
///   invitations, aliases in alerts, push topics, the renewal of refresh tokens, and the bytes of
///   recovery codes.
public struct ServerKey: Sendable {
    public static let length = 32
    /// A webhook has a signature for each key, and each check may try all of them.
    public static let mostFormerKeys = 8

    private struct Keys: Sendable {
        var current: Data
        /// The newest first.
        var former: [Data] = []
        var isBehind = false
        var isForgotten = false

        var all: [Data] { [current] + former }
        var oldest: Data { former.last ?? current }
    }

    private final class Ring: Sendable {
        private let keys: Mutex<Keys>

        init(_ keys: Keys) { self.keys = Mutex(keys) }

        var value: Keys { keys.withLock { $0 } }
        func set(_ new: Keys) { keys.withLock { $0 = new } }
        func set(_ new: Keys, inPlaceOf current: Data) {
            keys.withLock { if $0.current == current { $0 = new } }
        }
        func setBehind(_ isBehind: Bool, isForgotten: Bool) {
            keys.withLock {
                $0.isBehind = isBehind
                $0.isForgotten = isBehind && ($0.isForgotten || isForgotten)
            }
        }
    }

    private let ring: Ring

    /// - Parameter bytes: at least 32 random bytes.
    public init?(bytes: Data) {
        guard bytes.count >= Self.length else { return nil }
        ring = Ring(Keys(current: bytes))
    }

    private init(_ keys: Keys) { ring = Ring(keys) }

    // MARK: The first group: made with the current key

    /// Returns the stored hash of a sign-in code. Keyed, because a plain hash of six digits can be
    /// guessed.
    public func hash(code: String, id: UUID) -> Data {
        derived("sign-in-code", Self.message(code, id))
    }

    public func isHash(_ hash: Data, ofCode code: String, id: UUID) -> Bool {
        proves(hash, "sign-in-code", Self.message(code, id))
    }

    public func hash(emailCode code: String, id: UUID) -> Data {
        derived("email-code", Self.message(code, id))
    }

    public func isHash(_ hash: Data, ofEmailCode code: String, id: UUID) -> Bool {
        proves(hash, "email-code", Self.message(code, id))
    }

    private static func message(_ code: String, _ id: UUID) -> Data {
        Data(id.uuidString.utf8) + Data(code.utf8)
    }

    /// Returns the secret that signs webhooks to one endpoint. Derived, so it isn't stored.
    public func webhookSecret(user: UUID, endpoint: UUID) -> Data {
        derived("webhook", Data(user.uuidString.utf8) + Data(endpoint.uuidString.utf8))
    }

    /// Returns the endpoint's secrets by all keys, the current one first. The receiver may have
    /// any of them.
    public func webhookSecrets(user: UUID, endpoint: UUID) -> [Data] {
        candidates("webhook", Data(user.uuidString.utf8) + Data(endpoint.uuidString.utf8))
    }

    // MARK: The second group: looked up by all keys

    public func hash(blockedNumber: String) -> Data {
        derived("blocked-number", Data(blockedNumber.utf8))
    }

    /// Returns the hashes by all keys, the current one first.
    public func hashes(blockedNumber: String) -> [Data] {
        candidates("blocked-number", Data(blockedNumber.utf8))
    }

    /// Returns the hash of a push endpoint's address, for look-ups. The address is a secret.
    public func hash(pushAddress: String) -> Data {
        derived("push-address", Data(pushAddress.utf8))
    }

    /// Returns the hashes by all keys, the current one first.
    public func hashes(pushAddress: String) -> [Data] {
        candidates("push-address", Data(pushAddress.utf8))
    }

    /// Returns the stored hash of a recovery code's characters. While there are former keys, it
    /// begins with the current key's mark.
    public func hash(recoveryCode: String, of user: UUID) -> Data {
        let keys = ring.value
        let plain = Self.recoveryCodeHash(recoveryCode, user, keys.current)
        return keys.former.isEmpty ? plain : Self.marked(plain, keys.current)
    }

    /// Returns all hashes that the code may be stored with.
    public func hashes(recoveryCode: String, of user: UUID) -> [Data] {
        ring.value.all.flatMap { key in
            let plain = Self.recoveryCodeHash(recoveryCode, user, key)
            return [plain, Self.marked(plain, key)]
        }
    }

    /// The first bytes of the recovery codes that were made after the last rotation.
    public var recoveryCodeMark: Data { Self.mark(ring.value.current) }

    private static let markLength = 4

    private static func recoveryCodeHash(_ code: String, _ user: UUID, _ key: Data) -> Data {
        derived("recovery-code", Data(user.uuidString.utf8) + Data(code.utf8), key)
    }

    private static func mark(_ key: Data) -> Data {
        Data(derived("recovery-code-mark", Data(), key).prefix(markLength))
    }

    private static func marked(_ hash: Data, _ key: Data) -> Data {
        mark(key) + Data(hash.dropLast(markLength))
    }

    // MARK: The third group: made with the oldest key

    /// Returns the hash of a request's network address, for rate limits.
    public func hash(address: String) -> Data { lasting("address", Data(address.utf8)) }

    /// Returns the hash of the key that a known device has made.
    public func hash(deviceKey: UUID) -> Data { lasting("device", Data(deviceKey.uuidString.utf8)) }

    /// Returns the family (the common prefix) of the refresh tokens that follow an old token
    /// without a family.
    public func refreshTokenFamily(after hash: Data) -> Data {
        lasting("refresh-token-family", hash).prefix(Token.familyLength)
    }

    /// Returns the new tokens of one renewal. A client that repeats its request with the same
    /// `attempt` gets the same tokens. A thief of the refresh token doesn't know `attempt` and gets
    /// different ones.
    public func renewedTokens(after token: Token, attempt: UUID) -> (access: Token, refresh: Token)
    {
        let message = Data(token.text.utf8) + Data(attempt.uuidString.utf8)
        let end = lasting("refresh-token", message).prefix(32 - Token.familyLength)
        return (
            Token(random: lasting("access-token", message)), Token(random: token.family + end)
        )
    }

    /// Returns the tokens of one sign-in. A client that repeats its request with the same `attempt`
    /// gets the same tokens. Only this client knows `attempt`.
    /// - Parameter proof: the code or token of the sign-in.
    public func signInTokens(
        number: String, proof: String, attempt: UUID
    ) -> (access: Token, refresh: Token) {
        let message = Data("\(number) \(proof) ".utf8) + attempt.bytes
        return (
            Token(random: lasting("sign-in-access", message)),
            Token(random: lasting("sign-in-refresh", message))
        )
    }

    /// Returns the random bytes of one recovery code. A client that repeats its request for codes
    /// gets the same ones. Nobody else knows `request`, and no server stores it.
    public func recoveryCodeBytes(of user: UUID, request: UUID, index: UInt8) -> Data {
        lasting("recovery-code-bytes", user.bytes + request.bytes + Data([index]))
    }

    /// Returns the id under which the server remembers a request for recovery codes.
    public func recoveryRequestID(of user: UUID, request: UUID) -> UUID {
        UUID(lasting("recovery-request", user.bytes + request.bytes).prefix(16))
    }

    /// Returns the id under which the other responders of an alert see this responder.
    public func alias(of person: UUID, in alert: UUID) -> UUID {
        let bytes = lasting(
            "alert-alias", Data(alert.uuidString.utf8) + Data(person.uuidString.utf8))
        var uuid = UUID(bytes.prefix(16)).uuid
        // The version and the variant of a random UUID (RFC 9562).
        uuid.6 = uuid.6 & 0x0F | 0x40
        uuid.8 = uuid.8 & 0x3F | 0x80
        return UUID(uuid: uuid)
    }

    /// Returns a topic: a push service replaces an undelivered message by a newer one with the same
    /// topic. Its 16 bytes reveal neither the person nor the subject.
    public func pushTopic(person: UUID, subject: String) -> Data {
        lasting("push-topic", Data(person.uuidString.utf8) + Data(subject.utf8)).prefix(16)
    }

    public func hash(mailbox: String) -> Data { lasting("mailbox", Data(mailbox.utf8)) }

    /// Returns the hash of a user who entered an e-mail address, for rate limits.
    public func hash(emailOf user: UUID) -> Data {
        lasting("email-user", Data(user.uuidString.utf8))
    }

    /// Returns the hash of an invited phone number or mailbox.
    public func hash(invitedNumber number: String) -> Data {
        lasting("invited-number", Data(number.utf8))
    }

    /// Returns the hash of an inviting user, for rate limits.
    public func hash(invitationsOf user: UUID) -> Data {
        lasting("invitations-of", Data(user.uuidString.utf8))
    }

    /// Returns the id under which limits count what a deleted account of the number has done.
    public func limitsID(ofNumber number: String) -> UUID {
        UUID(lasting("limits-of-number", Data(number.utf8)).prefix(16))
    }

    /// Returns the id of a user's invitation to a number or mailbox. The same person always gets
    /// the same id, so the link in an earlier message stays valid.
    public func invitationID(of user: UUID, number: String) -> UUID {
        UUID(lasting("invitation-id", user.bytes + Data(number.utf8)).prefix(16))
    }

    // MARK: Derivation

    func derived(_ purpose: String, _ message: Data) -> Data {
        Self.derived(purpose, message, ring.value.current)
    }

    /// Returns true if any key derives the proof, and isn't forgotten.
    /// - Parameter length: the length of the proof in bytes, which may be cut.
    func proves(_ proof: Data, _ purpose: String, _ message: Data, length: Int = 32) -> Bool {
        guard proof.count == length, !ring.value.isForgotten else { return false }
        return candidates(purpose, message).contains {
            Digest.areEqual(Data($0.prefix(length)), proof)
        }
    }

    private func candidates(_ purpose: String, _ message: Data) -> [Data] {
        ring.value.all.map { Self.derived(purpose, message, $0) }
    }

    private func lasting(_ purpose: String, _ message: Data) -> Data {
        Self.derived(purpose, message, ring.value.oldest)
    }

    private static func derived(_ purpose: String, _ message: Data, _ key: Data) -> Data {
        Digest.hmacSHA256(Data(purpose.utf8) + [0] + message, key: key)
    }
}

// MARK: Rotation

extension ServerKey {
    private static let formerKeysName = "former-keys"

    /// A number that distinguishes two keys but doesn't reveal them.
    public var fingerprint: Int64 {
        Int64(bigEndianBytes: derived("fingerprint", Data()).prefix(8))
    }

    /// The number of former keys that are accepted.
    public var formerKeys: Int { ring.value.former.count }

    /// True if other servers of the database have a key that this one doesn't have.
    public var isBehind: Bool { ring.value.isBehind }

    /// - Parameter isForgotten: true if the other servers accept no former keys. Until this server
    ///   has their key, it accepts nothing.
    public func setBehind(_ isBehind: Bool, isForgotten: Bool = false) {
        ring.setBehind(isBehind, isForgotten: isForgotten)
    }

    /// Returns a new key after which this one, and its former keys, are former ones; nil if the
    /// bytes are too few.
    public func followed(by bytes: Data) -> ServerKey? {
        guard bytes.count >= Self.length else { return nil }
        return ServerKey(Keys(current: bytes, former: ring.value.all))
    }

    /// Returns the current key alone.
    public var withoutFormerKeys: ServerKey { ServerKey(Keys(current: ring.value.current)) }

    public func isFormer(_ bytes: Data) -> Bool { ring.value.former.contains(bytes) }

    /// Returns the present keys, which later changes of this value don't reach.
    public var snapshot: ServerKey { ServerKey(ring.value) }

    /// Replaces the keys of all copies of this value, unless another key has replaced `old`
    /// meanwhile.
    public func adopt(_ other: ServerKey, inPlaceOf old: ServerKey) {
        var keys = other.ring.value
        (keys.isBehind, keys.isForgotten) = (false, false)
        ring.set(keys, inPlaceOf: old.ring.value.current)
    }

    /// Encrypts the former keys for the database. Returns nil if libcrypto fails.
    public func sealedFormerKeys(random: RandomBytes) -> Data? {
        guard let bytes = try? JSONEncoder().encode(ring.value.former) else { return nil }
        return seal(bytes, name: Self.formerKeysName, random: random)
    }

    /// Reads the former keys from the result of `sealedFormerKeys`. Returns false, and changes
    /// nothing, if it was made with another key.
    @discardableResult
    public func takeFormerKeys(_ sealed: Data) -> Bool {
        var keys = ring.value
        guard let bytes = Self.open(sealed, name: Self.formerKeysName, keys.current),
            let former = try? JSONDecoder().decode([Data].self, from: bytes),
            former.allSatisfy({ $0.count >= Self.length })
        else { return false }
        keys.former = former
        ring.set(keys)
        return true
    }
}

extension ServerKey {
    /// Encrypts a secret for the database. Every server and backup then has it, but a copy of the
    /// database alone doesn't reveal it.
    /// - Parameter name: the name of the secret. `open` needs the same name.
    /// - Returns: nil if libcrypto fails.
    public func seal(_ secret: Data, name: String, random: RandomBytes) -> Data? {
        let nonce = random(AES128GCM.nonceLength)
        return AES128GCM.seal(
            secret, key: Self.sealingKey(ring.value.current), nonce: nonce,
            associated: Data(name.utf8)
        ).map { nonce + $0 }
    }

    /// Decrypts the result of `seal`, also by a former key.
    /// - Returns: nil if the key, the name or the ciphertext differs.
    public func open(_ sealed: Data, name: String) -> Data? {
        for key in ring.value.all {
            if let secret = Self.open(sealed, name: name, key) { return secret }
        }
        return nil
    }

    /// Encrypts a secret with the current key that a former one has encrypted.
    /// - Returns: nil if it needs no change, or no key opens it.
    public func resealed(_ sealed: Data, name: String, random: RandomBytes) -> Data? {
        guard Self.open(sealed, name: name, ring.value.current) == nil,
            let secret = open(sealed, name: name)
        else { return nil }
        return seal(secret, name: name, random: random)
    }

    private static func open(_ sealed: Data, name: String, _ key: Data) -> Data? {
        let nonce = Data(sealed.prefix(AES128GCM.nonceLength))
        return AES128GCM.open(
            Data(sealed.dropFirst(nonce.count)), key: sealingKey(key), nonce: nonce,
            associated: Data(name.utf8))
    }

    /// Encrypts a webhook's access token for the database. It opens only for the same endpoint, so
    /// that a changed row can't send one person's token to another person's address.
    /// - Returns: nil if libcrypto fails.
    public func seal(
        webhookToken token: String, user: UUID, endpoint: UUID, random: RandomBytes
    ) -> Data? {
        seal(Data(token.utf8), name: Self.webhookTokenName(user, endpoint), random: random)
    }

    /// - Returns: nil if the token was sealed with another key or for another endpoint.
    public func open(webhookToken sealed: Data, user: UUID, endpoint: UUID) -> String? {
        open(sealed, name: Self.webhookTokenName(user, endpoint))
            .flatMap { String(bytes: $0, encoding: .utf8) }
    }

    /// - Returns: nil if it needs no change, or no key opens it.
    public func resealed(
        webhookToken sealed: Data, user: UUID, endpoint: UUID, random: RandomBytes
    ) -> Data? {
        resealed(sealed, name: Self.webhookTokenName(user, endpoint), random: random)
    }

    private static func webhookTokenName(_ user: UUID, _ endpoint: UUID) -> String {
        "webhook-token \(user.uuidString) \(endpoint.uuidString)"
    }

    private static func sealingKey(_ key: Data) -> Data {
        Data(derived("sealing", Data(), key).prefix(AES128GCM.keyLength))
    }
}
