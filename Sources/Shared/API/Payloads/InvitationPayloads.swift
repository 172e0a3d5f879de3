import Domain

public struct InvitationRequest: Payload, Equatable {
    public var name: String
    /// Exactly one of number and address is required.
    public var phoneNumber: String?
    public var emailAddress: String?
    /// True if the person confirms a number that the numbering plans call impossible.
    public var isConfirmed: Bool?

    public init(
        name: String, phoneNumber: String? = nil, emailAddress: String? = nil,
        isConfirmed: Bool? = nil
    ) {
        self.name = name
        self.phoneNumber = phoneNumber
        self.emailAddress = emailAddress
        self.isConfirmed = isConfirmed
    }

    public static let schema = Schema.object(
        "InvitationRequest",
        [
            .required("name", .string(length: 1...40)),
            .optional("phoneNumber", .typedPhoneNumber),
            .optional("emailAddress", .string(length: 3...EmailAddress.longest)),
            .optional("isConfirmed", .boolean),
        ])
}

extension Invitation: Payload {
    public static let schema = Schema.object(
        "Invitation",
        [
            .required("id", .uuid), .required("name", .string()),
            // Empty if there is an e-mail address.
            .required("phoneNumber", .string(length: 0...16)),
            .optional("emailAddress", .string(length: 3...EmailAddress.longest)),
            .required("state", .enumeration(State.allCases.map(\.rawValue))),
            .required("createdAt", .time), .optional("answeredAt", .time),
            .optional("contactID", .uuid),
        ])
}
