import Domain

public struct InvitationRequest: Payload, Equatable {
    public var name: String
    public var phoneNumber: String

    public init(name: String, phoneNumber: String) {
        self.name = name
        self.phoneNumber = phoneNumber
    }

    public static let schema = Schema.object(
        "InvitationRequest",
        [.required("name", .string(length: 1...40)), .required("phoneNumber", .phoneNumber)])
}

extension Invitation: Payload {
    public static let schema = Schema.object(
        "Invitation",
        [
            .required("id", .uuid), .required("name", .string()),
            .required("phoneNumber", .phoneNumber),
            .required("state", .enumeration(State.allCases.map(\.rawValue))),
            .required("createdAt", .time), .optional("answeredAt", .time),
            .optional("contactID", .uuid),
        ])
}
