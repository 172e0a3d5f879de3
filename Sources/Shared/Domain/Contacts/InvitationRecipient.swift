/// Where an invitation goes.
public enum InvitationRecipient: Hashable, Sendable {
    case number(PhoneNumber)
    case address(EmailAddress)

    /// A number or an address as people type it. Throws `invalidArgument` for what is neither.
    public init(typed text: String) throws(CommandError) {
        self =
            text.contains("@")
            ? .address(try EmailAddress(text)) : .number(try PhoneNumber(typed: text))
    }

    /// As an invitation is stored; nil for what is neither.
    public init?(stored text: String) {
        guard let recipient = try? InvitationRecipient(typed: text) else { return nil }
        self = recipient
    }

    public var text: String {
        switch self {
        case .number(let number): number.text
        case .address(let address): address.text
        }
    }

    /// The key of limits: the variants of an address are one mailbox.
    public var key: String {
        switch self {
        case .number(let number): number.text
        case .address(let address): address.mailbox
        }
    }

    public var number: PhoneNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    public var address: EmailAddress? {
        if case .address(let address) = self { address } else { nil }
    }

    /// The field of the request.
    public var field: String { address == nil ? "phoneNumber" : "emailAddress" }
}
