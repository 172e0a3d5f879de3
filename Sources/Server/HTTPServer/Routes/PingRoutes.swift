import API
import Domain
import SafetyNetwork

extension RouteBuilder {
    func addPingRoutes() {
        let network = network
        signedIn(Routes.ping) { input, call in
            try await network.ping(try call.id(), dependent: input.dependentID, by: call.caller)
        }
        signedIn(Routes.pings) { _, call in
            let page = try call.call.page()
            return Self.list(try await network.pings(of: call.caller, page: page), page) {
                $0.cursor
            }
        }
        signedIn(Routes.respondToPing) { _, call in
            try await network.respond(to: try call.id(), by: call.caller)
        }
        signedIn(Routes.respondToAllPings) { _, call in
            List(items: try await network.respondToAll(by: call.caller))
        }
        signedIn(Routes.clearPing) { _, call in
            try await network.clearPing(try call.id(), by: call.caller)
        }
    }
}
