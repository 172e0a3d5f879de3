import API
import Domain
import SafetyNetwork

extension RouteBuilder {
    func addAlertRoutes() {
        let network = network
        signedIn(Routes.raiseAlert) { input, call in
            try await network.raiseAlert(try call.id(), raisedAt: input.raisedAt, by: call.caller)
        }
        signedIn(Routes.alerts) { _, call in
            let page = try call.call.page()
            let onlyOpen = try call.call.flag(Endpoint.onlyOpen)
            return Self.list(
                try await network.alerts(visibleTo: call.caller, onlyOpen: onlyOpen, page: page),
                page
            ) { $0.cursor }
        }
        signedIn(Routes.alert) { _, call in
            try await network.alert(try call.id(), visibleTo: call.caller)
        }
        signedIn(Routes.openAlert) { _, call in
            try await network.markAlertOpened(try call.id(), by: call.caller)
            return Empty()
        }
        signedIn(Routes.endAlert) { _, call in
            try await network.endAlert(try call.id(), by: call.caller)
        }
        signedIn(Routes.acknowledgeAlert) { _, call in
            try await network.acknowledgeAlert(try call.id(), by: call.caller)
        }
        signedIn(Routes.withdrawAcknowledgement) { _, call in
            try await network.withdrawAcknowledgement(of: try call.id(), by: call.caller)
        }
        signedIn(Routes.declineAlert) { _, call in
            try await network.declineAlert(try call.id(), by: call.caller)
        }
        signedIn(Routes.reportOnAlert) { input, call in
            try await network.report(input.report, on: try call.id(), by: call.caller)
        }
        signedIn(Routes.resumeAlert) { _, call in
            try await network.resumeRepeats(of: try call.id(), by: call.caller)
        }
    }
}
