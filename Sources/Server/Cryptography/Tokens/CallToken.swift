import Foundation

/// The token in the URLs that the provider requests during a phone call, to learn what to say.
public struct CallToken: Equatable, Sendable {
    public var person: UUID
    public var delivery: UUID
    public var attempt: Int
    /// The expiry, in whole seconds.
    public var expiresAt: Date

    private static let purpose = "call"
    private static let format = SignedBytes(
        contentLength: 2 * SignedBytes.idLength + 2 * SignedBytes.numberLength)
    public static let textLength = format.textLength

    public init(person: UUID, delivery: UUID, attempt: Int, expiresAt: Date) {
        self.person = person
        self.delivery = delivery
        self.attempt = attempt
        self.expiresAt = expiresAt.inWholeSeconds
    }

    /// Reads a token, also an expired one.
    /// - Returns: nil if the text wasn't made with this key.
    public init?(_ text: String, key: ServerKey) {
        guard var fields = Self.format.fields(text, Self.purpose, key: key) else { return nil }
        person = fields.id()
        delivery = fields.id()
        attempt = Int(truncatingIfNeeded: fields.number())
        expiresAt = fields.time()
    }

    public func text(key: ServerKey) -> String {
        let content =
            person.bytes + delivery.bytes + Int64(attempt).bigEndianBytes
            + expiresAt.bytesOfSeconds
        return Self.format.text(content, Self.purpose, key: key)
    }
}
