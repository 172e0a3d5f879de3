import API
import Domain
import SafetyNetwork

extension RouteBuilder {
    func addDrillRoutes() {
        let network = network
        signedIn(Routes.drills) { _, call in try await network.drills(of: call.caller) }
        signedIn(Routes.startDrill) { _, call in
            try await network.startDrill(try call.id(), by: call.caller)
        }
        signedIn(Routes.stopDrill) { _, call in
            try await network.stopDrill(try call.id(), by: call.caller)
        }
        signedIn(Routes.answerDrill) { input, call in
            try await network.answerDrill(
                try call.id(), by: input.channel.delivery, of: call.caller)
        }
    }
}
