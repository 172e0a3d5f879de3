/// The recipient of an invitation as typed. The server converts the number to E.164.
public enum TypedRecipient: Hashable, Sendable {
    /// The digits that `PhoneNumber.digits(typed:)` returns.
    case number(digits: String)
    case address(EmailAddress)

    /// Throws `invalidArgument` for text that is neither a number nor an address.
    /// - Parameter country: the country of a national number; if nil, the server decides.
    public init(_ text: String, in country: PhoneCountry? = nil) throws(CommandError) {
        self =
            EmailAddress.isMeant(by: text)
            ? .address(try EmailAddress(text))
            : .number(digits: try PhoneNumber.digits(typed: text, in: country))
    }

    public var digits: String? {
        if case .number(let digits) = self { digits } else { nil }
    }

    public var address: EmailAddress? {
        if case .address(let address) = self { address } else { nil }
    }
}

public enum InvitationRecipient: Hashable, Sendable {
    case number(PhoneNumber)
    case address(EmailAddress)

    /// Parses the stored text; nil if it is neither a number nor an address.
    public init?(stored text: String) {
        if let address = try? EmailAddress(text) {
            self = .address(address)
        } else if let number = try? PhoneNumber(text) {
            self = .number(number)
        } else {
            return nil
        }
    }

    public var text: String {
        switch self {
        case .number(let number): number.text
        case .address(let address): address.text
        }
    }

    /// The key for limits. All variants of an e-mail address share the key of their mailbox.
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

    public var field: String { address == nil ? "phoneNumber" : "emailAddress" }
}
