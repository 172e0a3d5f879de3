import API
import Domain
import Hummingbird
import SafetyNetwork

extension RouteBuilder {
    func addJourneyRoutes() {
        let network = network
        signedIn(Routes.startJourney) { input, call in
            let draft = JourneyDraft(
                id: input.id, name: input.name, expectedReturn: input.expectedReturn,
                graceMinutes: input.graceMinutes ?? JourneyRules.standardGraceMinutes,
                note: input.note ?? "", responders: input.responderIds,
                tellsResponders: input.tellsResponders)
            return try await network.journeys.start(draft, of: call.caller)
        }
        signedIn(Routes.extendJourney) { input, call in
            try await network.journeys.extend(
                call.id(), until: input.expectedReturn, isLater: input.isLater ?? false,
                pressedAt: input.pressedAt, sentAt: call.sentAt, of: call.caller)
        }
        signedIn(Routes.endJourney) { input, call in
            try await network.journeys.end(
                call.id(), pressedAt: input.pressedAt, sentAt: call.sentAt, of: call.caller)
        }
        signedIn(Routes.resendJourney) { input, call in
            let draft = JourneyDraft(
                id: try call.id(), name: input.name, expectedReturn: input.expectedReturn,
                graceMinutes: input.graceMinutes, note: input.note ?? "",
                responders: input.responderIds, tellsResponders: input.tellsResponders)
            return try await network.journeys.resend(
                draft, startedAt: input.startTime, endedAt: input.endTime, of: call.caller)
        }
    }
}
