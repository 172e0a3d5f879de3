import API
import Domain
import SafetyNetwork

extension RouteBuilder {
    func addDrillRoutes() {
        let network = network
        signedIn(Routes.drills) { _, call in try await network.drills.drills(of: call.caller) }
        signedIn(Routes.startDrill) { _, call in
            try await network.drills.startDrill(try call.id(), by: call.caller)
        }
        signedIn(Routes.stopDrill) { _, call in
            try await network.drills.stopDrill(try call.id(), by: call.caller)
        }
        signedIn(Routes.answerDrill) { input, call in
            try await network.drills.answerDrill(
                try call.id(), by: input.channel.delivery, of: call.caller)
        }
    }
}
