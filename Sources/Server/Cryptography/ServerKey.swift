import Foundation

/// A server's only secret; all its other secrets are derived from it. It is kept outside the
/// database, so that a stolen copy of the database is not enough to guess sign-in codes or to sign
/// webhooks.
public struct ServerKey: Sendable {
    public static let length = 32
    private let bytes: Data

    /// - Parameter bytes: at least 32 random bytes.
    public init?(bytes: Data) {
        guard bytes.count >= Self.length else { return nil }
        self.bytes = bytes
    }

    /// Returns the stored hash of a sign-in code. It is keyed, because a plain hash of six digits
    /// is easily guessed.
    public func hash(code: String, id: UUID) -> Data {
        derived("sign-in-code", Data(id.uuidString.utf8) + Data(code.utf8))
    }

    /// Returns the hash that identifies a request's network address, for its rate limit.
    public func hash(address: String) -> Data { derived("address", Data(address.utf8)) }

    /// Returns the hash that identifies a device that has signed in. It is a hash of the key that
    /// the device made.
    public func hash(deviceKey: UUID) -> Data { derived("device", Data(deviceKey.uuidString.utf8)) }

    /// Returns the family for the refresh tokens that replace a token without a family. Such a
    /// token was issued before families existed.
    public func refreshTokenFamily(after hash: Data) -> Data {
        derived("refresh-token-family", hash).prefix(Token.familyLength)
    }

    /// Returns the new tokens of one renewal. The client may repeat the request, and gets the same
    /// tokens if it sends the same `attempt`. A thief who has the refresh token doesn't know
    /// `attempt`, and so gets different tokens.
    public func renewedTokens(after token: Token, attempt: UUID) -> (access: Token, refresh: Token)
    {
        let message = Data(token.text.utf8) + Data(attempt.uuidString.utf8)
        let end = derived("refresh-token", message).prefix(32 - Token.familyLength)
        return (
            Token(random: derived("access-token", message)), Token(random: token.family + end)
        )
    }

    /// A fingerprint that distinguishes two keys but doesn't reveal them.
    public var fingerprint: Int64 {
        derived("fingerprint", Data()).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Returns the hash of a blocked person's number, which must not be readable in the database.
    public func hash(blockedNumber: String) -> Data {
        derived("blocked-number", Data(blockedNumber.utf8))
    }

    /// Returns the secret that signs webhooks to one endpoint. It is always the same, so it isn't
    /// stored.
    public func webhookSecret(user: UUID, endpoint: UUID) -> Data {
        derived("webhook", Data(user.uuidString.utf8) + Data(endpoint.uuidString.utf8))
    }

    /// Returns the id under which the other responders of an alert see a responder. It is the same
    /// throughout the alert and has no other use.
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

    fileprivate func receiptCode(_ receipt: Data) -> Data { derived("receipt", receipt) }
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

extension ServerKey {
    /// Returns the hash that identifies a mailbox to which a message was sent.
    public func hash(mailbox: String) -> Data { derived("mailbox", Data(mailbox.utf8)) }

    /// Returns the hash that identifies the user who entered an address, for a rate limit.
    public func hash(emailOf user: UUID) -> Data {
        derived("email-user", Data(user.uuidString.utf8))
    }

    /// Returns the stored hash of the code for an e-mail address.
    public func hash(emailCode code: String, id: UUID) -> Data {
        derived("email-code", Data(id.uuidString.utf8) + Data(code.utf8))
    }

    /// Returns the hash that identifies an invited number or mailbox.
    public func hash(invitedNumber number: String) -> Data {
        derived("invited-number", Data(number.utf8))
    }

    /// Returns the hash that identifies an inviting user, for a rate limit.
    public func hash(invitationsOf user: UUID) -> Data {
        derived("invitations-of", Data(user.uuidString.utf8))
    }

    /// Returns the id of a user's invitation to a number or mailbox. It is the same for every
    /// invitation by this user, so that the link in the single message stays valid.
    public func invitationID(of user: UUID, number: String) -> UUID {
        UUID(derived("invitation-id", user.bytes + Data(number.utf8)).prefix(16))
    }

    fileprivate func code(over content: Data, for purpose: String) -> Data {
        derived(purpose, content)
    }
}

/// The token of the unsubscribe link in an e-mail. It is valid only for this user's address and
/// only until the address is removed: last year's message must not unsubscribe an address that was
/// added again.
public struct UnsubscribeToken: Equatable, Sendable {
    public var user: UUID
    /// A prefix of the hash of the address and its verification time.
    public var address: Data

    private static let addressLength = 16
    private static let purpose = "unsubscribe"
    /// The token's length in characters of base64url.
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

/// The token of a phone call. During the call, the provider requests URLs that contain the token,
/// to learn what to say.
public struct CallToken: Equatable, Sendable {
    public var person: UUID
    public var delivery: UUID
    public var attempt: Int
    /// When the token expires, in whole seconds.
    public var expiresAt: Date

    private static let purpose = "call"
    private static let contentLength = 16 + 16 + 8 + 8
    /// The token's length in characters of base64url.
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

/// The secret of a link in a message. It is short, because the price of a text message depends on
/// its length.
public struct LinkToken: Equatable, Sendable {
    public enum Purpose: String, Sendable {
        /// `owner` has invited a person; `subject` is the invitation.
        case invitation
        /// `owner` is alerted by SMS; `subject` is the alert.
        case alert
        /// Like `alert`, but by e-mail. A press on the page then proves that e-mail works, not SMS.
        case mailedAlert = "mailed-alert"
        /// A drill sends `owner` a question by SMS; `subject` is the notification with the
        /// question.
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
    /// The token's length in characters of base64url.
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
