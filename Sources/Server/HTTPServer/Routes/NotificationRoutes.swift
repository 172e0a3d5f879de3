import API
import Domain
import SafetyNetwork

extension RouteBuilder {
    func addNotificationRoutes(allowsPlainWebhooks: Bool) {
        let network = network
        signedIn(Routes.notifications) { _, call in
            let page = try call.call.page()
            return Self.list(try await network.notifications(of: call.caller, page: page), page) {
                $0.cursor
            }
        }
        signedIn(Routes.readNotification) { _, call in
            try await network.markRead(try call.id(), of: call.caller)
            return Empty()
        }
        signedIn(Routes.readAllNotifications) { _, call in
            try await network.markAllRead(
                of: call.caller, until: try call.call.time(Endpoint.until))
            return Empty()
        }
        signedIn(Routes.deleteNotification) { _, call in
            try await network.deleteNotification(try call.id(), of: call.caller)
            return Empty()
        }
        signedIn(Routes.deleteAllNotifications) { _, call in
            try await network.deleteAllNotifications(
                of: call.caller, until: try call.call.time(Endpoint.until))
            return Empty()
        }
        signedIn(Routes.preferences) { _, call in try await network.preferences(of: call.caller) }
        signedIn(Routes.updatePreferences) { input, call in
            try await network.setPreferences(input, of: call.caller, key: try call.idempotencyKey())
        }
        signedIn(Routes.pushEndpoints) { _, call in
            List(items: try await network.pushEndpoints(of: call.caller))
        }
        signedIn(Routes.savePushEndpoint) { input, call in
            let url = try PushEndpoint.webhookURL(input.url, allowsPlainHTTP: allowsPlainWebhooks)
            let saved = try await network.savePushEndpoint(
                try call.id(), kind: input.kind, url: url, of: call.caller)
            return PushEndpointResponse(
                saved.endpoint, signingSecret: "whsec_" + saved.secret.base64EncodedString())
        }
        signedIn(Routes.deletePushEndpoint) { _, call in
            try await network.deletePushEndpoint(try call.id(), of: call.caller)
            return Empty()
        }
    }
}
