import Foundation

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
        /// `owner` is asked in a drill by SMS; `subject` is the notification that asks.
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
