import Foundation

/// A device's receipt for a delivery. The server puts it into the encrypted message, and the device
/// returns it. It isn't stored.
public struct ReceiptToken: Equatable, Sendable {
    public var person: UUID
    public var delivery: UUID
    /// The expiry, in whole seconds.
    public var expiresAt: Date

    private static let purpose = "receipt"
    private static let format = SignedBytes(
        contentLength: 2 * SignedBytes.idLength + SignedBytes.numberLength)
    public static let textLength = format.textLength

    public init(person: UUID, delivery: UUID, expiresAt: Date) {
        self.person = person
        self.delivery = delivery
        self.expiresAt = expiresAt.inWholeSeconds
    }

    /// Reads a token, also an expired one.
    /// - Returns: nil if the text wasn't made with this key.
    public init?(_ text: String, key: ServerKey) {
        guard var fields = Self.format.fields(text, Self.purpose, key: key) else { return nil }
        person = fields.id()
        delivery = fields.id()
        expiresAt = fields.time()
    }

    /// Returns the token as base64url.
    public func text(key: ServerKey) -> String {
        Self.format.text(
            person.bytes + delivery.bytes + expiresAt.bytesOfSeconds, Self.purpose, key: key)
    }
}
