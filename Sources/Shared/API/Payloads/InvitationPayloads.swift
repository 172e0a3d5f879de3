import Domain

public struct InvitationRequest: Payload, Equatable {
    public var name: String
    /// One of the two is given.
    public var phoneNumber: String?
    public var emailAddress: String?

    public init(name: String, phoneNumber: String? = nil, emailAddress: String? = nil) {
        self.name = name
        self.phoneNumber = phoneNumber
        self.emailAddress = emailAddress
    }

    public static let schema = Schema.object(
        "InvitationRequest",
        [
            .required("name", .string(length: 1...40)), .optional("phoneNumber", .phoneNumber),
            .optional("emailAddress", .string(length: 3...EmailAddress.longest)),
        ])
}

extension Invitation: Payload {
    public static let schema = Schema.object(
        "Invitation",
        [
            .required("id", .uuid), .required("name", .string()),
            // Empty next to an e-mail address.
            .required("phoneNumber", .string(length: 0...16)),
            .optional("emailAddress", .string(length: 3...EmailAddress.longest)),
            .required("state", .enumeration(State.allCases.map(\.rawValue))),
            .required("createdAt", .time), .optional("answeredAt", .time),
            .optional("contactID", .uuid),
        ])
}
