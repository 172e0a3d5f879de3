import Domain
import Foundation

/// The response is the same for numbers with and without an account.
public struct SendCodeResponse: Payload, Equatable {
    /// The client sends this id with the code.
    public var requestID: CodeRequestID

    /// The number in canonical form.
    public var phoneNumber: PhoneNumber?

    /// False if the token signs the number in without a code; nil from older servers.
    public var needsCode: Bool?

    public init(
        requestID: CodeRequestID, phoneNumber: PhoneNumber? = nil, needsCode: Bool? = nil
    ) {
        self.requestID = requestID
        self.phoneNumber = phoneNumber
        self.needsCode = needsCode
    }

    public static let schema = Schema.object(
        "SendCodeResponse",
        [
            .required("requestID", .uuid), .optional("phoneNumber", .phoneNumber),
            .optional("needsCode", .boolean),
        ])
}

public struct TokenResponse: Payload, Equatable {
    public var accessToken: String
    /// The client exchanges this token for new ones before the access token expires. Valid until
    /// its successor is used.
    public var refreshToken: String
    public var expiresAt: Date
    public var isNewUser: Bool
    public var userID: UserID
    public var sessionID: SessionID

    public init(
        accessToken: String, refreshToken: String, expiresAt: Date, isNewUser: Bool, userID: UserID,
        sessionID: SessionID
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
        self.isNewUser = isNewUser
        self.userID = userID
        self.sessionID = sessionID
    }

    public static let schema = Schema.object(
        "TokenResponse",
        [
            .required("accessToken", .token), .required("refreshToken", .token),
            .required("expiresAt", .time),
            .required("isNewUser", .boolean), .required("userID", .uuid),
            .required("sessionID", .uuid),
        ]
    )
}

public struct QRCodeOwner: Payload, Equatable {
    public var id: UserID
    public var name: String

    public init(id: UserID, name: String) {
        self.id = id
        self.name = name
    }

    public static let schema = Schema.object(
        "QRCodeOwner", [.required("id", .uuid), .required("name", .string())])
}

public struct QRCodeName: Payload, Equatable {
    public var name: String

    public init(name: String) { self.name = name }

    public static let schema = Schema.object("QRCodeName", [.required("name", .string())])
}

public struct DecodedQRCode: Payload, Equatable {
    public var text: String

    public init(text: String) { self.text = text }

    public static let schema = Schema.object("DecodedQRCode", [.required("text", .string())])
}

public struct PushEndpointResponse: Payload, Equatable {
    public var id: PushEndpointID
    public var kind: PushEndpoint.Kind
    public var url: URL
    public var createdAt: Date
    /// The form of a webhook's messages; nil for signed JSON.
    public var template: WebhookTemplate?
    /// For the templates `matrix` and `telegram`.
    public var chat: String?
    /// The secret that signs the messages to a webhook (Standard Webhooks). It never changes.
    public var signingSecret: String?

    public init(_ device: PushEndpoint, signingSecret: String? = nil) {
        id = device.id
        kind = device.kind
        url = device.url
        createdAt = device.createdAt
        template = device.template
        chat = device.chat
        self.signingSecret = signingSecret
    }

    public static let schema = Schema.object(
        "DeviceResponse",
        [
            .required("id", .uuid),
            .required("kind", .enumeration(PushEndpoint.Kind.allCases.map(\.rawValue))),
            .required("url", .url), .required("createdAt", .time),
            .optional("template", .enumeration(WebhookTemplate.allCases.map(\.rawValue))),
            .optional("chat", .string()), .optional("signingSecret", .string()),
        ]
    )
}

public struct PushKeyResponse: Payload, Equatable {
    /// The browser's `applicationServerKey`: an uncompressed point on P-256 in base64url.
    public var publicKey: String

    public init(publicKey: String) { self.publicKey = publicKey }

    public static let schema = Schema.object(
        "PushKey",
        [.required("publicKey", .string(length: 87...87, pattern: "^[A-Za-z0-9_-]{87}$"))])
}

public struct Health: Payload, Equatable {
    public enum Status: String, Codable, Sendable, CaseIterable { case ok, unready }

    public var status: Status
    /// Why the server can't accept check-ins.
    public var problems: [String]
    /// Problems for the operator. The server works despite them.
    public var warnings: [String]

    public init(problems: [String] = [], warnings: [String] = []) {
        status = problems.isEmpty ? .ok : .unready
        self.problems = problems
        self.warnings = warnings
    }

    public static let schema = Schema.object(
        "Health",
        [
            .required("status", .enumeration(Status.allCases.map(\.rawValue))),
            .required("problems", .array(of: .string())),
            .required("warnings", .array(of: .string())),
        ]
    )
}
