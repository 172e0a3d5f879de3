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
                    .extendJourney(id, expectedReturn: time, isLater: isLater ? true : nil),
                    about: id)
            },
            arrive: { id in try await controller.press(.endJourney(id), about: id) },
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
    /// answer is the present profile. If that can't be loaded, it is the known one.
    fileprivate nonisolated func press(
        _ action: QueuedAction, about journey: JourneyID
    ) async throws -> Submission<UserProfile> {
        try await with(action.operation) { account in
            guard let reply = try await account.submit(action) else { return .waiting }
            if let profile = reply.profile { return .confirmed(profile) }
            do {
                return .confirmed(
                    try await account.perform(
                        { try await $0.call(Routes.profile) }, { .reply(.profile($0)) }))
            } catch let failure as ClientFailure where failure.isConnectionFailure {
                guard let known = await account.profile(without: journey) else { throw failure }
                return .confirmed(known)
            }
        }
    }
}

extension Account {
    /// Removes a journey that the server no longer has from the known profile. Returns the profile;
    /// nil if none is known.
    fileprivate func profile(without journey: JourneyID) -> UserProfile? {
        guard var profile = mirror.model.profile else { return nil }
        if profile.journey?.id == journey {
            profile.journey = nil
            receive(.reply(.profile(profile)))
        }
        sync.want([.profile])
        return shown.profile
    }
}
