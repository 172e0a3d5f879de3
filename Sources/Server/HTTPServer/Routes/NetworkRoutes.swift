import API
import Domain
import SafetyNetwork

extension RouteBuilder {
    func addCheckInRoutes() {
        let network = network
        addCheckIn()
        signedIn(Routes.checkIns) { _, call in
            let page = try call.call.page()
            return Self.list(try await network.checkIns(of: call.caller, page: page), page) { $0.cursor }
        }
    }

    func addContactRoutes() {
        let network = network
        signedIn(Routes.contacts) { _, call in List(items: try await network.contacts(of: call.caller)) }
        signedIn(Routes.addContact) { input, call in
            let roles = try ContactRoles(isResponder: input.isResponder, isDependent: input.isDependent)
            return try await network.addContact(code: try QRCodeRules.id(in: input.code), roles: roles, to: call.caller)
        }
        signedIn(Routes.changeRoles) { input, call in
            try await network.changeRoles(of: try call.id(), to: input, by: call.caller, key: try call.idempotencyKey())
        }
        signedIn(Routes.removeContact) { _, call in
            try await network.removeContact(try call.id(), by: call.caller)
            return Empty()
        }
        for role in ContactRole.allCases {
            signedIn(Routes.acceptRequest(role)) { _, call in
                try await network.acceptRequest(role, from: try call.id(), by: call.caller)
            }
            signedIn(Routes.endRequest(role)) { _, call in
                try await network.endRequest(role, with: try call.id(), by: call.caller)
                return Empty()
            }
        }
        signedIn(Routes.blocks) { _, call in List(items: try await network.blocks(of: call.caller)) }
        signedIn(Routes.block) { _, call in
            try await network.block(try call.id(), by: call.caller)
        }
        signedIn(Routes.unblock) { _, call in
            try await network.unblock(try call.id(), by: call.caller)
            return Empty()
        }
    }

    func addPingRoutes() {
        let network = network
        signedIn(Routes.ping) { input, call in
            try await network.ping(try call.id(), dependent: input.dependentID, by: call.caller)
        }
        signedIn(Routes.pings) { _, call in
            let page = try call.call.page()
            return Self.list(try await network.pings(of: call.caller, page: page), page) { $0.cursor }
        }
        signedIn(Routes.respondToPing) { _, call in try await network.respond(to: try call.id(), by: call.caller) }
        signedIn(Routes.respondToAllPings) { _, call in List(items: try await network.respondToAll(by: call.caller)) }
        signedIn(Routes.clearPing) { _, call in try await network.clearPing(try call.id(), by: call.caller) }
    }

    func addAlertRoutes() {
        let network = network
        signedIn(Routes.raiseAlert) { input, call in
            try await network.raiseAlert(try call.id(), raisedAt: input.raisedAt, by: call.caller)
        }
        signedIn(Routes.alerts) { _, call in
            let page = try call.call.page()
            let onlyOpen = try call.call.flag(Endpoint.onlyOpen)
            return Self.list(try await network.alerts(visibleTo: call.caller, onlyOpen: onlyOpen, page: page), page) { $0.cursor }
        }
        signedIn(Routes.alert) { _, call in try await network.alert(try call.id(), visibleTo: call.caller) }
        signedIn(Routes.endAlert) { _, call in try await network.endAlert(try call.id(), by: call.caller) }
        signedIn(Routes.acknowledgeAlert) { _, call in try await network.acknowledgeAlert(try call.id(), by: call.caller) }
        signedIn(Routes.withdrawAcknowledgement) { _, call in
            try await network.withdrawAcknowledgement(of: try call.id(), by: call.caller)
        }
        signedIn(Routes.reportOnAlert) { input, call in
            try await network.report(input.report, on: try call.id(), by: call.caller)
        }
        signedIn(Routes.resumeAlert) { _, call in
            try await network.resumeRepeats(of: try call.id(), by: call.caller)
        }
    }

    func addNotificationRoutes(allowsPlainWebhooks: Bool) {
        let network = network
        signedIn(Routes.notifications) { _, call in
            let page = try call.call.page()
            return Self.list(try await network.notifications(of: call.caller, page: page), page) { $0.cursor }
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
        signedIn(Routes.devices) { _, call in
            List(items: try await network.devices(of: call.caller))
        }
        signedIn(Routes.saveDevice) { input, call in
            let url = try Device.webhookURL(input.url, allowsPlainHTTP: allowsPlainWebhooks)
            let saved = try await network.saveDevice(try call.id(), kind: input.kind, url: url, of: call.caller)
            return DeviceResponse(saved.device, signingSecret: "whsec_" + saved.secret.base64EncodedString())
        }
        signedIn(Routes.deleteDevice) { _, call in
            try await network.deleteDevice(try call.id(), of: call.caller)
            return Empty()
        }
    }

    /// A full page may have more behind it.
    private static func list<Item: Payload>(_ items: [Item], _ page: Page, cursor: (Item) -> Page.Cursor?) -> List<Item> {
        List(items: items, next: items.count == page.limit ? items.last.flatMap(cursor)?.description : nil)
    }
}
