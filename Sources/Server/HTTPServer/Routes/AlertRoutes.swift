import API
import Domain
import SafetyNetwork

extension RouteBuilder {
    /// `PUT /v1/alerts/{id}`, which is heard even from a user or an address over a request limit.
    /// - Parameter overLimit: holds the calls for help that are over one.
    private func addRaiseAlert(_ overLimit: RateLimiter<UserID>) {
        let (network, limiter) = (network, limiter)
        on(Routes.raiseAlert.endpoint) { call in
            let (caller, refusal) = try await LastResort.caller(of: call, network, limiter)
            let input = try await call.body(RaiseAlertRequest.self)
            let id: AlertID = try call.id()
            if refusal != nil { try overLimit.take(caller.userID) }
            let record = try await network.raiseAlert(id, raisedAt: input.raisedAt, by: caller)
            if refusal == nil, let zone = call.request.headers[.timeZone] {
                await network.noteTimeZone(zone, of: caller)
            }
            return try Self.answer(record, Routes.raiseAlert.endpoint.status)
        }
    }

    func addAlertRoutes(overLimit: RateLimiter<UserID>) {
        let network = network
        addRaiseAlert(overLimit)
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
