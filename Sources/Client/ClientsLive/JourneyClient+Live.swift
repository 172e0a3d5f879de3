import API
import Clients
import Domain
import Foundation

extension JourneyClient {
    static func live(_ controller: SessionController) -> JourneyClient {
        JourneyClient(
            start: { draft in
                try await controller.with(.startJourney) { account in
                    let request = StartJourneyRequest(draft)
                    return try await account.perform(
                        { try await $0.call(Routes.startJourney, request) },
                        { .reply(.profile($0)) })
                }
            },
            extend: { id, time, isLater in
                try await controller.press(
                    .extendJourney(id, expectedReturn: time, isLater: isLater ? true : nil))
            },
            arrive: { id in try await controller.press(.endJourney(id)) },
            expectedReturn: { await controller.account?.expectedReturn }
        )
    }
}

extension StartJourneyRequest {
    fileprivate init(_ draft: JourneyDraft) {
        self.init(
            id: draft.id, name: draft.name, expectedReturn: draft.expectedReturn,
            graceMinutes: draft.graceMinutes, note: draft.note.isEmpty ? nil : draft.note,
            responderIds: draft.responders, tellsResponders: draft.tellsResponders)
    }
}

extension SessionController {
    /// Submits a press about a journey. A journey that is gone has ended on another device, so the
    /// answer is the present profile.
    fileprivate nonisolated func press(
        _ action: QueuedAction
    ) async throws -> Submission<UserProfile> {
        try await with(action.operation) { account in
            guard let reply = try await account.submit(action) else { return .waiting }
            if let profile = reply.profile { return .confirmed(profile) }
            return .confirmed(
                try await account.perform(
                    { try await $0.call(Routes.profile) }, { .reply(.profile($0)) }))
        }
    }
}
