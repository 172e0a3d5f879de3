import Foundation

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

    private static let format = SignedBytes(
        contentLength: 2 * SignedBytes.idLength, proofLength: 16)
    public static let textLength = format.textLength

    public init(owner: UUID, subject: UUID) {
        self.owner = owner
        self.subject = subject
    }

    /// - Returns: nil if the text wasn't made with this key and for this purpose.
    public init?(_ text: String, _ purpose: Purpose, key: ServerKey) {
        guard var fields = Self.format.fields(text, Self.name(purpose), key: key) else {
            return nil
        }
        owner = fields.id()
        subject = fields.id()
    }

    public func text(_ purpose: Purpose, key: ServerKey) -> String {
        Self.format.text(owner.bytes + subject.bytes, Self.name(purpose), key: key)
    }

    private static func name(_ purpose: Purpose) -> String { "link-\(purpose.rawValue)" }
}
