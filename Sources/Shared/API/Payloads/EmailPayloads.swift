import Domain

public struct EmailRequest: Payload, Equatable {
    public var address: String

    public init(address: String) { self.address = address }

    public static let schema = Schema.object(
        "EmailRequest",
        [.required("address", .string(length: 5...EmailAddress.longest, format: "email"))])
}

public struct EmailCodeRequest: Payload, Equatable {
    public var code: String

    public init(code: String) { self.code = code }

    public static let schema = Schema.object(
        "EmailCodeRequest", [.required("code", .code)])
}

extension EmailStatus: Payload {
    public static let schema = Schema.object(
        "EmailStatus",
        [
            .optional("address", .string()), .optional("verifiedAt", .time),
            .optional("unverifiedAddress", .string()), .optional("lastSuccessAt", .time),
            .optional("failingSince", .time), .optional("lastFailure", .string()),
        ])
}
