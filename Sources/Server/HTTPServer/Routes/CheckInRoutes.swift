import API
import Domain
import Hummingbird
import SafetyNetwork

extension RouteBuilder {
    /// Adds `PUT /v1/check-ins/{id}`, which works even beyond a request limit.
    func addCheckIn() {
        let (network, limiter) = (network, limiter)
        on(Routes.checkIn.endpoint) { call in
            let (caller, refusal) = try await LastResort.caller(of: call, network, limiter)
            let input = try await call.body(CheckInRequest.self)
            try await call.checkSession(network, unlessRefused: call.context.refusal)
            let id: CheckInID = try call.id()
            let sentAt = call.sentAt
            let record =
                if let refusal {
                    try await network.checkIns.checkIn(
                        id, occurredAt: input.occurredAt, sentAt: sentAt, by: caller,
                        unlessRefused: refusal)
                } else {
                    try await network.checkIns.checkIn(
                        id, occurredAt: input.occurredAt, sentAt: sentAt, by: caller)
                }
            if refusal == nil, let zone = call.request.headers[.timeZone] {
                await network.timeZones.noteTimeZone(zone, of: caller)
            }
            return try Self.answer(record, Routes.checkIn.endpoint.status)
        }
    }

    func addCheckInRoutes() {
        let network = network
        addCheckIn()
        signedIn(Routes.checkIns) { _, call in
            let page = try call.page()
            return Self.list(try await network.checkIns.checkIns(of: call.caller, page: page), page)
            {
                $0.cursor
            }
        }
    }
}
