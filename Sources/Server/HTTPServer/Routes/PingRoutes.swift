import API
import Domain
import SafetyNetwork

extension RouteBuilder {
    func addPingRoutes() {
        let network = network
        signedIn(Routes.ping) { input, call in
            try await network.pings.ping(
                try call.id(), dependent: input.dependentID, by: call.caller)
        }
        signedIn(Routes.pings) { _, call in
            let page = try call.page()
            return Self.list(try await network.pings.pings(of: call.caller, page: page), page) {
                $0.cursor
            }
        }
        signedIn(Routes.respondToPing) { input, call in
            try await network.pings.respond(
                to: try call.id(), pressedAt: input.pressedAt, sentAt: call.sentAt,
                by: call.caller)
        }
        signedIn(Routes.respondToAllPings) { _, call in
            List(items: try await network.pings.respondToAll(by: call.caller))
        }
        signedIn(Routes.clearPing) { _, call in
            try await network.pings.clearPing(try call.id(), by: call.caller)
        }
    }
}
