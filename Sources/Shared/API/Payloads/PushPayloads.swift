import Domain
import Foundation

public struct PushEndpointRequest: Payload, Equatable {
    public var kind: PushEndpoint.Kind
    /// For `webhook` and `webPush`.
    public var url: String?
    /// For `webPush`.
    public var keys: PushKeys?
    /// For `apns` and `fcm`; for `webhook`, the access token of ntfy, Matrix or Telegram.
    public var token: String?
    /// For `apns`.
    public var environment: APNsEnvironment?
    /// For `webhook`; nil for signed JSON.
    public var template: WebhookTemplate?
    /// For the templates `matrix` and `telegram`.
    public var chat: String?

    public init(
        kind: PushEndpoint.Kind, url: String? = nil, keys: PushKeys? = nil, token: String? = nil,
        environment: APNsEnvironment? = nil, template: WebhookTemplate? = nil, chat: String? = nil
    ) {
        self.kind = kind
        self.url = url
        self.keys = keys
        self.token = token
        self.environment = environment
        self.template = template
        self.chat = chat
    }

    public init(_ webhook: Webhook) {
        self.init(
            kind: .webhook, url: webhook.url.absoluteString, token: webhook.token,
            template: webhook.template == .lifesignal ? nil : webhook.template,
            chat: webhook.chat)
    }

    public static let schema = Schema.object(
        "DeviceRequest",
        [
            .required("kind", .enumeration(PushEndpoint.Kind.allCases.map(\.rawValue))),
            .optional("url", .string(length: 9...PushEndpoint.urlLength.upperBound, format: "uri")),
            .optional("keys", PushKeys.schema),
            .optional("token", .string(length: 1...AppToken.lengthLimit)),
            .optional("environment", .enumeration(APNsEnvironment.allCases.map(\.rawValue))),
            .optional("template", .enumeration(WebhookTemplate.allCases.map(\.rawValue))),
            .optional("chat", .string(length: Webhook.chatLength)),
        ]
    )
}

/// The keys of a browser's subscription, as in its `toJSON()`.
public struct PushKeys: Payload, Equatable {
    public var p256dh: String
    public var auth: String

    public init(p256dh: String, auth: String) {
        self.p256dh = p256dh
        self.auth = auth
    }

    public static let schema = Schema.object(
        "PushKeys",
        [
            .required("p256dh", .string(length: 87...88, pattern: "^[A-Za-z0-9_-]{87}=?$")),
            .required("auth", .string(length: 22...24, pattern: "^[A-Za-z0-9_-]{22}(==)?$")),
        ]
    )
}

public struct ReceiptRequest: Payload, Equatable {
    /// The token in the message that arrived.
    public var token: String

    public init(token: String) { self.token = token }

    public static let schema = Schema.object(
        "ReceiptRequest",
        [.required("token", .string(length: 96...96, pattern: "^[A-Za-z0-9_-]{96}$"))])
}
