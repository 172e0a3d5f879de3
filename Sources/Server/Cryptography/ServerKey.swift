import Foundation

/// The servers' only secret; all other secrets are derived from it. It is kept outside the
/// database. A stolen database is then not enough to guess sign-in codes or to sign webhooks.
public struct ServerKey: Sendable {
    public static let length = 32
    private let bytes: Data

    /// - Parameter bytes: at least 32 random bytes.
    public init?(bytes: Data) {
        guard bytes.count >= Self.length else { return nil }
        self.bytes = bytes
    }

    /// Returns the stored hash of a sign-in code. Keyed, because a plain hash of six digits can be
    /// guessed.
    public func hash(code: String, id: UUID) -> Data {
        derived("sign-in-code", Data(id.uuidString.utf8) + Data(code.utf8))
    }

    /// Returns the stored hash of a recovery code's characters.
    public func hash(recoveryCode: String, of user: UUID) -> Data {
        derived("recovery-code", Data(user.uuidString.utf8) + Data(recoveryCode.utf8))
    }

    /// Returns the hash of a request's network address, for rate limits.
    public func hash(address: String) -> Data { derived("address", Data(address.utf8)) }

    /// Returns the hash of the key that a known device has made.
    public func hash(deviceKey: UUID) -> Data { derived("device", Data(deviceKey.uuidString.utf8)) }

    /// Returns the family (the common prefix) of the refresh tokens that follow an old token
    /// without a family.
    public func refreshTokenFamily(after hash: Data) -> Data {
        derived("refresh-token-family", hash).prefix(Token.familyLength)
    }

    /// Returns the new tokens of one renewal. A client that repeats its request with the same
    /// `attempt` gets the same tokens. A thief of the refresh token doesn't know `attempt` and gets
    /// different ones.
    public func renewedTokens(after token: Token, attempt: UUID) -> (access: Token, refresh: Token)
    {
        let message = Data(token.text.utf8) + Data(attempt.uuidString.utf8)
        let end = derived("refresh-token", message).prefix(32 - Token.familyLength)
        return (
            Token(random: derived("access-token", message)), Token(random: token.family + end)
        )
    }

    /// A number that distinguishes two keys but doesn't reveal them.
    public var fingerprint: Int64 {
        derived("fingerprint", Data()).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    public func hash(blockedNumber: String) -> Data {
        derived("blocked-number", Data(blockedNumber.utf8))
    }

    /// Returns the secret that signs webhooks to one endpoint. Derived, so it isn't stored.
    public func webhookSecret(user: UUID, endpoint: UUID) -> Data {
        derived("webhook", Data(user.uuidString.utf8) + Data(endpoint.uuidString.utf8))
    }

    /// Returns the id under which the other responders of an alert see this responder.
    public func alias(of person: UUID, in alert: UUID) -> UUID {
        let bytes = derived(
            "alert-alias", Data(alert.uuidString.utf8) + Data(person.uuidString.utf8))
        var uuid = UUID(bytes.prefix(16)).uuid
        // The version and the variant of a random UUID (RFC 9562).
        uuid.6 = uuid.6 & 0x0F | 0x40
        uuid.8 = uuid.8 & 0x3F | 0x80
        return UUID(uuid: uuid)
    }

    func derived(_ purpose: String, _ message: Data) -> Data {
        Digest.hmacSHA256(Data(purpose.utf8) + [0] + message, key: bytes)
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
            secret, key: sealingKey, nonce: nonce, associated: Data(name.utf8)
        ).map { nonce + $0 }
    }

    /// Decrypts the result of `seal`.
    /// - Returns: nil if the key, the name or the ciphertext differs.
    public func open(_ sealed: Data, name: String) -> Data? {
        let nonce = Data(sealed.prefix(AES128GCM.nonceLength))
        return AES128GCM.open(
            Data(sealed.dropFirst(nonce.count)), key: sealingKey, nonce: nonce,
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

    private static func webhookTokenName(_ user: UUID, _ endpoint: UUID) -> String {
        "webhook-token \(user.uuidString) \(endpoint.uuidString)"
    }

    private var sealingKey: Data { derived("sealing", Data()).prefix(AES128GCM.keyLength) }

    /// Returns a topic: a push service replaces an undelivered message by a newer one with the same
    /// topic. Its 16 bytes reveal neither the person nor the subject.
    public func pushTopic(person: UUID, subject: String) -> Data {
        derived("push-topic", Data(person.uuidString.utf8) + Data(subject.utf8)).prefix(16)
    }

    /// Returns the hash of a push endpoint's address, for look-ups. The address is a secret.
    public func hash(pushAddress: String) -> Data {
        derived("push-address", Data(pushAddress.utf8))
    }

    fileprivate func receiptCode(_ receipt: Data) -> Data { derived("receipt", receipt) }
}

/// A device's receipt for a delivery. The server puts it into the encrypted message, and the device
/// returns it. It isn't stored.
public struct ReceiptToken: Equatable, Sendable {
    public var person: UUID
    public var delivery: UUID
    /// The expiry, in whole seconds.
    public var expiresAt: Date

    /// The length in bytes: both ids, the expiry, and the authentication code.
    static let length = 16 + 16 + 8 + 32
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

    /// Returns the token as base64url.
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

extension ServerKey {
    public func hash(mailbox: String) -> Data { derived("mailbox", Data(mailbox.utf8)) }

    /// Returns the hash of a user who entered an e-mail address, for rate limits.
    public func hash(emailOf user: UUID) -> Data {
        derived("email-user", Data(user.uuidString.utf8))
    }

    public func hash(emailCode code: String, id: UUID) -> Data {
        derived("email-code", Data(id.uuidString.utf8) + Data(code.utf8))
    }

    /// Returns the hash of an invited phone number or mailbox.
    public func hash(invitedNumber number: String) -> Data {
        derived("invited-number", Data(number.utf8))
    }

    /// Returns the hash of an inviting user, for rate limits.
    public func hash(invitationsOf user: UUID) -> Data {
        derived("invitations-of", Data(user.uuidString.utf8))
    }

    /// Returns the id of a user's invitation to a number or mailbox. The same person always gets
    /// the same id, so the link in an earlier message stays valid.
    public func invitationID(of user: UUID, number: String) -> UUID {
        UUID(derived("invitation-id", user.bytes + Data(number.utf8)).prefix(16))
    }

    fileprivate func code(over content: Data, for purpose: String) -> Data {
        derived(purpose, content)
    }
}

/// The token of the unsubscribe link in an e-mail. It is valid for this user's address until the
/// address is removed. An old message can't unsubscribe an address that was added later.
public struct UnsubscribeToken: Equatable, Sendable {
    public var user: UUID
    /// A prefix of the hash of the address and its verification time.
    public var address: Data

    private static let addressLength = 16
    private static let purpose = "unsubscribe"
    public static let textLength = 86

    public init(user: UUID, address: String, verifiedAt: Date, key: ServerKey) {
        self.user = user
        self.address = Self.hash(address, verifiedAt, key)
    }

    /// - Returns: nil if the text wasn't made with this key.
    public init?(_ text: String, key: ServerKey) {
        guard text.utf8.count == Self.textLength, let bytes = Base64URL.decode(text),
            bytes.count == 32 + Self.addressLength + 16
        else { return nil }
        let content = Data(bytes.dropLast(32))
        guard Digest.areEqual(key.code(over: content, for: Self.purpose), Data(bytes.suffix(32)))
        else { return nil }
        user = UUID(content.prefix(16))
        address = Data(content.suffix(Self.addressLength))
    }

    public func text(key: ServerKey) -> String {
        let content = user.bytes + address
        return Base64URL.encode(content + key.code(over: content, for: Self.purpose))
    }

    /// Returns true if the token is for this address with this verification time.
    public func isAbout(_ address: String, verifiedAt: Date, key: ServerKey) -> Bool {
        Digest.areEqual(self.address, Self.hash(address, verifiedAt, key))
    }

    private static func hash(_ address: String, _ verifiedAt: Date, _ key: ServerKey) -> Data {
        let milliseconds = Int64((verifiedAt.timeIntervalSince1970 * 1000).rounded())
        let content = Data("\(milliseconds) \(address)".utf8)
        return Data(key.code(over: content, for: "unsubscribe-address").prefix(addressLength))
    }
}

/// The token in the URLs that the provider requests during a phone call, to learn what to say.
public struct CallToken: Equatable, Sendable {
    public var person: UUID
    public var delivery: UUID
    public var attempt: Int
    /// The expiry, in whole seconds.
    public var expiresAt: Date

    private static let purpose = "call"
    private static let contentLength = 16 + 16 + 8 + 8
    public static let textLength = 107

    public init(person: UUID, delivery: UUID, attempt: Int, expiresAt: Date) {
        self.person = person
        self.delivery = delivery
        self.attempt = attempt
        self.expiresAt = Date(timeIntervalSince1970: expiresAt.timeIntervalSince1970.rounded(.up))
    }

    /// - Returns: nil if the text wasn't made with this key.
    public init?(_ text: String, key: ServerKey) {
        guard text.utf8.count == Self.textLength, let bytes = Base64URL.decode(text),
            bytes.count == Self.contentLength + 32
        else { return nil }
        let content = Data(bytes.dropLast(32))
        guard Digest.areEqual(key.code(over: content, for: Self.purpose), Data(bytes.suffix(32)))
        else { return nil }
        person = UUID(content.prefix(16))
        delivery = UUID(content.dropFirst(16).prefix(16))
        attempt = Int(truncatingIfNeeded: Self.number(content.dropFirst(32).prefix(8)))
        expiresAt = Date(timeIntervalSince1970: TimeInterval(Self.number(content.suffix(8))))
    }

    public func text(key: ServerKey) -> String {
        let content =
            person.bytes + delivery.bytes + Self.bytes(Int64(attempt))
            + Self.bytes(Int64(expiresAt.timeIntervalSince1970))
        return Base64URL.encode(content + key.code(over: content, for: Self.purpose))
    }

    private static func bytes(_ number: Int64) -> Data {
        withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }

    private static func number(_ bytes: Data) -> Int64 {
        bytes.reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }
}

/// The secret of a link in a message. It is short, because the price of an SMS depends on its
/// length.
public struct LinkToken: Equatable, Sendable {
    public enum Purpose: String, Sendable {
        /// `owner` has invited a person; `subject` is the invitation.
        case invitation
        /// `owner` is alerted by SMS; `subject` is the alert.
        case alert
        /// Like `alert`, but by e-mail. A press on the page then proves that e-mail arrives.
        case mailedAlert = "mailed-alert"
        /// A drill asks `owner` by SMS for an answer; `subject` is the notification.
        case drill
        /// Like `drill`, but by e-mail.
        case mailedDrill = "mailed-drill"
        /// Declines an invitation. It can do nothing else, because mail servers see this token.
        case refusal
        /// Ends the session `subject` of `owner`.
        case session
    }

    public var owner: UUID
    public var subject: UUID

    private static let proofLength = 16
    public static let textLength = 64

    public init(owner: UUID, subject: UUID) {
        self.owner = owner
        self.subject = subject
    }

    /// - Returns: nil if the text wasn't made with this key and for this purpose.
    public init?(_ text: String, _ purpose: Purpose, key: ServerKey) {
        guard text.utf8.count == Self.textLength, let bytes = Base64URL.decode(text),
            bytes.count == 32 + Self.proofLength
        else { return nil }
        let content = Data(bytes.prefix(32))
        let proof = Self.proof(of: content, purpose, key)
        guard Digest.areEqual(proof, Data(bytes.suffix(Self.proofLength))) else { return nil }
        owner = UUID(content.prefix(16))
        subject = UUID(content.suffix(16))
    }

    public func text(_ purpose: Purpose, key: ServerKey) -> String {
        let content = owner.bytes + subject.bytes
        return Base64URL.encode(content + Self.proof(of: content, purpose, key))
    }

    private static func proof(of content: Data, _ purpose: Purpose, _ key: ServerKey) -> Data {
        Data(key.code(over: content, for: "link-\(purpose.rawValue)").prefix(proofLength))
    }
}
