import API
import Cryptography
import Domain
import Hummingbird
import SafetyNetwork

extension RouteBuilder {
    /// Adds `PUT /v1/alerts/{id}`, which works even beyond a request limit.
    /// - Parameter overLimit: the rate limit of each session for alerts beyond a request limit.
    private func addRaiseAlert(_ overLimit: RateLimiter<Caller>) {
        let (network, limiter) = (network, limiter)
        on(Routes.raiseAlert.endpoint) { call in
            if let pass = call.alertPass {
                return try await Self.raise(pass, call, network, overLimit)
            }
            let (caller, refusal) = try await LastResort.caller(of: call, network, limiter)
            let input = try await call.body(RaiseAlertRequest.self)
            let id: AlertID = try call.id()
            if refusal != nil { try overLimit.take(caller) }
            let record = try await network.alerts.raiseAlert(
                id, raisedAt: input.raisedAt, sentAt: call.sentAt, by: caller)
            if refusal == nil, let zone = call.request.headers[.timeZone] {
                await network.timeZones.noteTimeZone(zone, of: caller)
            }
            return try Self.answer(record, Routes.raiseAlert.endpoint.status)
        }
    }

    /// Raises an alert with an alert pass. The answer contains only the alert, because a pass gives
    /// no right to read other data.
    private static func raise(
        _ pass: Token, _ call: Call, _ network: SafetyNetwork, _ limiter: RateLimiter<Caller>
    ) async throws -> Response {
        let input = try await call.body(
            RaiseAlertRequest.self, limit: Endpoint.openBodyLimit)
        let id: AlertID = try call.id()
        let caller = try await network.alertPasses.redeem(
            alertPass: pass, for: id, unlessRefused: call.context.refusal)
        try limiter.take(caller)
        let alert = try await network.alerts.raiseAlert(
            id, raisedAt: input.raisedAt, sentAt: call.sentAt, by: caller)
        return try answer(
            AlertRecord(
                id: alert.id, startTime: alert.startTime, endTime: alert.endTime,
                userId: alert.userId, isActive: alert.isActive, kind: alert.kind),
            Routes.raiseAlert.endpoint.status)
    }

    func addAlertRoutes(overLimit: RateLimiter<Caller>) {
        let network = network
        addRaiseAlert(overLimit)
        signedIn(Routes.alertPass) { _, call in
            let pass = try await network.alertPasses.issueAlertPass(to: call.caller)
            return AlertPassResponse(pass: pass.token.text, expiresAt: pass.expiresAt)
        }
        signedIn(Routes.alerts) { _, call in
            let page = try call.page()
            let onlyOpen = try call.flag(Endpoint.onlyOpen)
            return Self.list(
                try await network.alerts.alerts(
                    visibleTo: call.caller, onlyOpen: onlyOpen, page: page),
                page
            ) { $0.cursor }
        }
        signedIn(Routes.alert) { _, call in
            try await network.alerts.alert(try call.id(), visibleTo: call.caller)
        }
        signedIn(Routes.openAlert) { _, call in
            try await network.climbing.markAlertOpened(try call.id(), by: call.caller)
            return Empty()
        }
        signedIn(Routes.endAlert) { input, call in
            try await network.alerts.endAlert(
                try call.id(), pressedAt: input.pressedAt, sentAt: call.sentAt,
                endedAt: input.endedAt, by: call.caller)
        }
        signedIn(Routes.acknowledgeAlert) { _, call in
            try await network.responding.acknowledgeAlert(try call.id(), by: call.caller)
        }
        signedIn(Routes.withdrawAcknowledgement) { _, call in
            try await network.responding.withdrawAcknowledgement(of: try call.id(), by: call.caller)
        }
        signedIn(Routes.declineAlert) { _, call in
            try await network.responding.declineAlert(try call.id(), by: call.caller)
        }
        signedIn(Routes.reportOnAlert) { input, call in
            try await network.responding.report(input.report, on: try call.id(), by: call.caller)
        }
        signedIn(Routes.resumeAlert) { _, call in
            try await network.responding.resumeRepeats(of: try call.id(), by: call.caller)
        }
    }
}
