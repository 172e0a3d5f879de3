import Foundation

extension ServerKey {
    /// How a mailbox that was written to is remembered.
    public func hash(mailbox: String) -> Data { derived("mailbox", Data(mailbox.utf8)) }

    /// How the user who entered an address is remembered for a limit.
    public func hash(emailOf user: UUID) -> Data {
        derived("email-user", Data(user.uuidString.utf8))
    }

    /// How the code for an e-mail address is stored.
    public func hash(emailCode code: String, id: UUID) -> Data {
        derived("email-code", Data(id.uuidString.utf8) + Data(code.utf8))
    }

    /// How a number or a mailbox that was invited is remembered.
    public func hash(invitedNumber number: String) -> Data {
        derived("invited-number", Data(number.utf8))
    }

    /// How the user who invited somebody is remembered for a limit.
    public func hash(invitationsOf user: UUID) -> Data {
        derived("invitations-of", Data(user.uuidString.utf8))
    }

    /// The id of a user's invitation to a number or mailbox: the same each time, so that the one
    /// message about it stays good.
    public func invitationID(of user: UUID, number: String) -> UUID {
        UUID(derived("invitation-id", user.bytes + Data(number.utf8)).prefix(16))
    }

    fileprivate func code(over content: Data, for purpose: String) -> Data {
        derived(purpose, content)
    }
}

/// The link in an e-mail that stops e-mails to its address. It is good for nothing else, and for
/// this address of this user only, until the address is removed: a message of last year must not
/// stop those to an address that was added again.
public struct UnsubscribeToken: Equatable, Sendable {
    public var user: UUID
    /// The beginning of the hash of the address and of when it was verified.
    public var address: Data

    private static let addressLength = 16
    private static let purpose = "unsubscribe"
    /// Characters of base64url.
    public static let textLength = 86

    public init(user: UUID, address: String, verifiedAt: Date, key: ServerKey) {
        self.user = user
        self.address = Self.hash(address, verifiedAt, key)
    }

    /// - Returns: nil if the text is not from a server with this key.
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

    /// True if it is about this address, as it was verified then.
    public func isAbout(_ address: String, verifiedAt: Date, key: ServerKey) -> Bool {
        Digest.areEqual(self.address, Self.hash(address, verifiedAt, key))
    }

    private static func hash(_ address: String, _ verifiedAt: Date, _ key: ServerKey) -> Data {
        let milliseconds = Int64((verifiedAt.timeIntervalSince1970 * 1000).rounded())
        let content = Data("\(milliseconds) \(address)".utf8)
        return Data(key.code(over: content, for: "unsubscribe-address").prefix(addressLength))
    }
}

/// A call's proof, in the addresses that the provider asks for what to say.
public struct CallToken: Equatable, Sendable {
    public var person: UUID
    public var delivery: UUID
    public var attempt: Int
    /// Whole seconds.
    public var expiresAt: Date

    private static let purpose = "call"
    private static let contentLength = 16 + 16 + 8 + 8
    /// Characters of base64url.
    public static let textLength = 107

    public init(person: UUID, delivery: UUID, attempt: Int, expiresAt: Date) {
        self.person = person
        self.delivery = delivery
        self.attempt = attempt
        self.expiresAt = Date(timeIntervalSince1970: expiresAt.timeIntervalSince1970.rounded(.up))
    }

    /// - Returns: nil if the text is not from a server with this key.
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

/// The secret of a link in a text message: short, because each character is paid for.
public struct LinkToken: Equatable, Sendable {
    public enum Purpose: String, Sendable {
        /// `owner` has invited somebody; `subject` is the invitation.
        case invitation
        /// `owner` is told of an alert by SMS; `subject` is the alert.
        case alert
        /// The same by e-mail: a press proves another endpoint.
        case mailedAlert = "mailed-alert"
        /// `owner` is asked in a drill by SMS; `subject` is the notification that asks.
        case drill
        /// The same by e-mail.
        case mailedDrill = "mailed-drill"
        /// Says no to an invitation, as `invitation` does, and nothing else: mail servers see it.
        case refusal
    }

    public var owner: UUID
    public var subject: UUID

    private static let proofLength = 16
    /// Characters of base64url.
    public static let textLength = 64

    public init(owner: UUID, subject: UUID) {
        self.owner = owner
        self.subject = subject
    }

    /// - Returns: nil if the text is not from a server with this key, or for another purpose.
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
