import API
import Cryptography
import Domain
import SafetyNetwork
import WebPush

extension RouteBuilder {
    func addNotificationRoutes(allowsPlainWebhooks: Bool) {
        let network = network
        signedIn(Routes.notifications) { _, call in
            let page = try call.page()
            return Self.list(
                try await network.notifications.notifications(of: call.caller, page: page), page
            ) {
                $0.cursor
            }
        }
        signedIn(Routes.readNotification) { _, call in
            try await network.notifications.markRead(try call.id(), of: call.caller)
            return Empty()
        }
        signedIn(Routes.readAllNotifications) { _, call in
            try await network.notifications.markAllRead(
                of: call.caller, until: try call.time(Endpoint.until))
            return Empty()
        }
        signedIn(Routes.deleteNotification) { _, call in
            try await network.notifications.deleteNotification(try call.id(), of: call.caller)
            return Empty()
        }
        signedIn(Routes.deleteAllNotifications) { _, call in
            try await network.notifications.deleteAllNotifications(
                of: call.caller, until: try call.time(Endpoint.until))
            return Empty()
        }
        signedIn(Routes.preferences) { _, call in
            try await network.notifications.preferences(of: call.caller)
        }
        signedIn(Routes.updatePreferences) { input, call in
            try await network.notifications.setPreferences(
                input, of: call.caller, key: try call.idempotencyKey())
        }
        signedIn(Routes.pushEndpoints) { _, call in
            List(items: try await network.endpoints.pushEndpoints(of: call.caller))
        }
        signedIn(Routes.savePushEndpoint) { input, call in
            switch input.kind {
            case .webhook:
                let webhook = try input.webhook(allowsPlainHTTP: allowsPlainWebhooks)
                let saved = try await network.endpoints.saveWebhook(
                    try call.id(), webhook, of: call.caller)
                return PushEndpointResponse(
                    saved.endpoint,
                    signingSecret: saved.secret.map { "whsec_" + $0.base64EncodedString() })
            case .webPush:
                let subscription = try input.subscription(allowsPlainHTTP: allowsPlainWebhooks)
                return PushEndpointResponse(
                    try await network.pushSubscriptions.savePushSubscription(
                        try call.id(), subscription, of: call.caller))
            case .apns, .fcm:
                return PushEndpointResponse(
                    try await network.appEndpoints.saveAppEndpoint(
                        try call.id(), try input.appToken(), of: call.caller))
            case .unknown:
                throw CommandError.invalidArgument(
                    field: "kind", "An endpoint is a webhook, webPush, apns or fcm.")
            }
        }
        signedIn(Routes.deletePushEndpoint) { _, call in
            try await network.endpoints.deletePushEndpoint(try call.id(), of: call.caller)
            return Empty()
        }
        signedIn(Routes.testPushEndpoint) { _, call in
            try await network.endpoints.testPushEndpoint(try call.id(), of: call.caller)
            return Empty()
        }
        signedIn(Routes.pushKey) { _, _ in
            guard let key = network.pushKey.publicKey else {
                throw CommandError.unavailable("The server is starting. Try again.")
            }
            return PushKeyResponse(publicKey: Base64URL.encode(key))
        }
        open(Routes.receipt) { input, _ in
            try await network.pushSubscriptions.enterReceipt(input.token)
            return Empty()
        }
    }
}

extension PushEndpointRequest {
    fileprivate func address() throws(CommandError) -> String {
        guard let url else {
            throw .invalidArgument(field: "url", "Give the address of the endpoint.")
        }
        return url
    }

    fileprivate func webhook(allowsPlainHTTP: Bool) throws(CommandError) -> Webhook {
        // Older clients could send a token that nothing used.
        guard let template else {
            return Webhook(
                url: try PushEndpoint.webhookURL(
                    try address(), allowsPlainHTTP: allowsPlainHTTP))
        }
        return try Webhook(
            url: try address(), template: template, chat: chat, token: token,
            allowsPlainHTTP: allowsPlainHTTP)
    }

    fileprivate func appToken() throws(CommandError) -> AppToken {
        guard let token else {
            throw .invalidArgument(field: "token", "Give the app's token.")
        }
        guard kind == .apns else { return try AppToken(fcm: token) }
        guard let environment else {
            throw .invalidArgument(
                field: "environment", "Say whether the token is for sandbox or production.")
        }
        return try AppToken(apns: token, environment: environment)
    }

    fileprivate func subscription(
        allowsPlainHTTP: Bool
    ) throws(CommandError) -> BrowserSubscription {
        let url = try address()
        guard let keys else {
            throw .invalidArgument(field: "keys", "Give the keys of the browser's subscription.")
        }
        do {
            let subscription = try PushSubscription(
                endpoint: url, p256dh: keys.p256dh, auth: keys.auth,
                allowsPlainHTTP: allowsPlainHTTP)
            return BrowserSubscription(
                url: subscription.endpoint, p256dh: subscription.publicKey.bytes,
                auth: subscription.auth)
        } catch {
            throw .invalidArgument(
                field: error.field == "endpoint" ? "url" : error.field, error.description)
        }
    }
}
